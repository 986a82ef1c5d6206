"""The random number generator of core/random.hpp in Python."""

from __future__ import annotations

_WORD = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    """One step of splitmix64: a bijection that mixes all 64 bits."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


class SplitMix:
    """The splitmix64 generator: the same seed gives the same numbers on every machine."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _WORD

    @classmethod
    def stream(cls, seed: int, index: int) -> SplitMix:
        """An independent generator for part `index` of the work of `seed`."""
        return cls(mix((seed + _STEP) & _WORD) ^ mix((index + 0xD1B54A32D192ED03) & _WORD))

    def next(self) -> int:
        """64 random bits."""
        self._state = (self._state + _STEP) & _WORD
        return mix(self._state)

    def below(self, bound: int) -> int:
        """Uniform in 0 … bound − 1, without bias."""
        refuse = 2**32 % bound
        while True:
            share = (self.next() >> 32) * bound
            if share % 2**32 >= refuse:
                return share >> 32
