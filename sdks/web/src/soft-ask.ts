/** How often a user may refuse the page's own question before it is never asked again, and how many days lie between two questions. */
export type AskLimits = { everyDays?: number; most?: number }

/** Whether the page may ask now, given when its question was refused. */
export const mayAsk = (refusedAt: readonly number[], { everyDays = 14, most = 3 }: AskLimits = {}, now = Date.now()): boolean =>
  refusedAt.length < most && refusedAt.every((at) => now - at >= everyDays * 86_400_000)
