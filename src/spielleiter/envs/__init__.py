"""Adapters for researchers: every game under the interfaces that learning libraries expect.

`spielleiter.envs.pettingzoo` is a PettingZoo environment (needs the extra: spielleiter[envs]),
`spielleiter.envs.openspiel` looks like OpenSpiel and needs nothing. The project does not need them.
"""
