/**
 * How long a push may still take, in milliseconds; 0: nothing is left, it is skipped. A ttl of 0 means now or never: it
 * has all the time it needs for its one try, and the provider is told 0 (spec: sending/ttl-zero).
 */
export const ttlLeftMs = (ttlSeconds: number, elapsedMs: number): number => Math.max(0, ttlSeconds * 1000 - elapsedMs)

export const isExpired = (ttlSeconds: number, elapsedMs: number): boolean => ttlSeconds > 0 && ttlLeftMs(ttlSeconds, elapsedMs) === 0

/** Whole seconds to tell the provider: what is left, rounded up, so that a last half second is not "now or never". */
export const secondsLeft = (ttlSeconds: number, elapsedMs: number): number => Math.ceil(ttlLeftMs(ttlSeconds, elapsedMs) / 1000)
