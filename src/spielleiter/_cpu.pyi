def flavours() -> tuple[str, ...]:
    """The flavours this processor can run, best first."""
