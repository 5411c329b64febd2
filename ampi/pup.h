/* Functions that programs for AMPI register to pack what they have. Nothing needs packing here, but programs may count on the calls: around
 * moves and checkpoints that a rank takes part in. Rank stack. */
#ifndef AMPI_PUP_FUNCTIONS_H
#define AMPI_PUP_FUNCTIONS_H

/* Call all functions to add up sizes, then to pack; `leaves`: for a move, so they may free what they have packed. 0, or the class
 * that was raised. */
int ampi_pups_pack(int fn, int leaves);

/* Call all to unpack, and free what was packed. */
int ampi_pups_unpack(int fn);

/* Free what was packed. */
void ampi_pups_drop(void);

#endif
