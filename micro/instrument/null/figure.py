"""The harness measured by itself: one number, which the default figure draws."""

QUESTION = "What does the harness itself cost?"


def finding(source):
    return source.said("The harness adds {instrument.overhead} per call of an empty function")
