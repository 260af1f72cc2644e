"""`gpufx explain`: runs a program under the recorder, finishes its trace, and says what its accesses cost."""
