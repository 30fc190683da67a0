/** The page's own question is asked again after `everyDays` days, and never again after `most` refusals. */
export type AskLimits = { everyDays?: number; most?: number }

/** Whether the page may ask its own question now. `refusedAt` has the times of the refusals so far. */
export const mayAsk = (refusedAt: readonly number[], { everyDays = 14, most = 3 }: AskLimits = {}, now = Date.now()): boolean =>
  refusedAt.length < most && refusedAt.every((at) => now - at >= everyDays * 86_400_000)
