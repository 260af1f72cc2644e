/* peer: what is said about it, and the cases that decide. */
#include <math.h>

#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text = "a copy between two GPUs is faster once they have mapped each other's memory, since the host is left out",
     .source = PROGRAMMING_GUIDE "Peer-to-Peer Memory Copy",
     .where = "task=move mover=push,pull traffic=alone from_gpu=0 to_gpu=1 size=64Ki:1Gi:*4",
     .against = "mover=staged",
     .quantity = "rate",
     .low = 1.05,
     .high = (double)INFINITY},
    {.text = "on an H100 or H200 with NVLink a pair reaches 450 GB/s in each direction (900 together)",
     .source = "NVIDIA H100 Tensor Core GPU Architecture, 2022, Fourth-Generation NVLink and NVLink Network",
     .where = "task=move mover=push,pull,store,load traffic=alone size=256Mi",
     .quantity = "rate",
     .low = 428,
     .high = 473},
    {.text = "copies of several pairs at once, each GPU in one, don't slow each other: the way back costs nothing",
     .source = "NVIDIA DGX H100/H200 User Guide, Introduction: NVSwitch, full bandwidth between all GPUs",
     .where = "task=move mover=push,pull traffic=both size=256Mi",
     .against = "traffic=alone",
     .quantity = "cost",
     .low = 0.97,
     .high = 1.03},
    {.text = "copies by the copy engines and by kernels reach the same rate",
     .source = "nvbandwidth 0.8, README: tests of device to device copies by CE and by SM",
     .where = "task=move mover=store,load traffic=alone size=256Mi",
     .against = "mover=push",
     .quantity = "cost",
     .low = 0.95,
     .high = 1.05},
    {.text = "stores into another GPU's memory are faster than loads from it: push rather than pull",
     .source = COMMON_ADVICE,
     .where = "task=move mover=store traffic=alone from_gpu=0 to_gpu=1 size=64Ki:1Gi:*4",
     .against = "mover=load",
     .quantity = "cost",
     .high = 0.97},
    {.text = "small data move sooner by a kernel than by a copy engine",
     .source = COMMON_ADVICE,
     .where = "task=move mover=store traffic=alone from_gpu=0 to_gpu=1 size=4Ki,16Ki,64Ki",
     .against = "mover=push",
     .quantity = "cost",
     .high = 0.97},
};

FX_CLAIMS(peer, claims)
