"""Trees of shared operators: the running example of the source work, and random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from slackwater.share.tree import Facts, Operator, filtered, source, window

# S3 -> F6 -> A3, S3 -> F7 -> {F8 -> A4, F9 -> A5}
G3 = source(
    "S3",
    filtered("F6", window("Q3")),
    filtered("F7", filtered("F8", window("Q4")), filtered("F9", window("Q5"))),
)


def g3(*kept: float, slacks: tuple[int, int, int] = (2, 3, 1), rate: float = 100) -> Facts:
    known = dict(zip(("F6", "F7", "F8", "F9"), kept, strict=True))
    return Facts(dict(zip(("Q3", "Q4", "Q5"), slacks, strict=True)), known, rate)


@st.composite
def plans(draw: st.DrawFn) -> tuple[Operator, Facts]:
    """Up to three levels of filters, fan-outs up to three, slacks that are often the same."""
    kept: dict[str, float] = {}
    slacks: dict[str, int] = {}

    def readers(depth: int) -> list[Operator]:
        return [child(depth) for _ in range(draw(st.integers(1, 3)))]

    def child(depth: int) -> Operator:
        if depth == 0 or draw(st.booleans()):
            name = f"Q{len(slacks)}"
            slacks[name] = draw(st.integers(0, 6))
            return window(name)
        name = f"F{len(kept)}"
        kept[name] = draw(st.sampled_from([0.0, 0.1, 0.25, 0.4, 0.5, 0.7, 0.9, 1.0]))
        return filtered(name, *readers(depth - 1))

    root = source("S", *readers(3))
    return root, Facts(slacks, kept, 100.0)
