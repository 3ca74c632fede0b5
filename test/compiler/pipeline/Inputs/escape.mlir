module attributes {test.a = #trnai.amp<"[31m">} {
}
