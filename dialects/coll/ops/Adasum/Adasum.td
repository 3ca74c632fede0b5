#ifndef BOOSTC_COLL_ADASUM
#define BOOSTC_COLL_ADASUM

include "dialects/coll/CollBase.td"

def Coll_AdasumOp : Coll_Op<"adasum", "Adasum",
    (ins DenseI32ArrayAttr:$groups), "`groups` $groups",
    "form.groups.assign(getGroups().begin(), getGroups().end());", [F32]> {
  let summary = "sums over ranks, less what they have in common";
  let description = [{
    Adaptive summation (Maleki et al., 2020). Two vectors a and b, with p = <a, b>,
    A = |a|^2 and B = |b|^2, are combined to

    `a o b = (1 - p / (2 A)) a + (1 - p / (2 B)) b`

    where a factor is 1 when its A or B is 0: orthogonal vectors add up, equal ones are
    averaged, and a zero vector leaves the other as it is. More ranks are combined as a
    binary tree over the ranks of the group in their order; where a node has m_a ranks
    on one side and m_b on the other, with l = m_a / (m_a + m_b), the factors are
    `1 - l p / A` and `1 - (1 - l) p / B`. Sums of squares and products are taken in
    double precision. Every rank of the group gets the same bits.

    Operands with the same number in `groups` are one vector. The first operands serve one
    parameter each, those of `parameters`.

    Constraints:
    * (adasum_c1) it exchanges at least one tensor, of static shape.
    * (adasum_c2) it serves no more parameters than it has operands, and they exist.
    * (adasum_c3) `groups` has one number for each operand, of 0 or more.
    * (adasum_c4) it is over `inter_group`.

    Example:
    ```mlir
    %r:2 = coll.adasum index(1) over inter_group parameters [@fc.weight, @fc.bias] groups [0, 1]
        (%g, %h : tensor<4x3xf32>, tensor<4xf32>)
    ```
  }];
}

#endif // BOOSTC_COLL_ADASUM
