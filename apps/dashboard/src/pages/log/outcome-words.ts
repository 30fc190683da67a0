/** The icon and the colour of each outcome. */
export const outcomeKinds = { sent: 'good', failed: 'bad', skipped: 'off', open: 'busy' } as const

/** What a push without an outcome waits for. */
export const stateWords = { waiting: 'waiting', sending: 'being sent', held: 'held by a circuit', retry: 'tried again' } as const
