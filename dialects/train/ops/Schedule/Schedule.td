#ifndef BOOSTC_TRAIN_SCHEDULE
#define BOOSTC_TRAIN_SCHEDULE

include "dialects/train/TrainBase.td"

def Train_ScheduleOp : Train_Op<"schedule", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "a hyper-parameter over the steps";
  let description = [{
    The host computes its value before each update and hands it to the argument bound to
    `#rt.binding<control, "name">`, an f32 scalar.

    Example:
    ```mlir
    train.schedule @learning_rate <constant, 0.01>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Train_ScheduleAttr:$schedule);
  let assemblyFormat = "$sym_name $schedule attr-dict";
}

#endif // BOOSTC_TRAIN_SCHEDULE
