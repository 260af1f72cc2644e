/* The clock by which this program times itself. */
#pragma once

double fx_now_s(void); /* monotonic */
