import { countText } from './number.ts'
import { spanOf } from '@herald/contracts/span-of'

/** The slowest and the fastest rate that Herald takes, in pushes per minute. */
export const [slowestRate, fastestRate] = [60, 6_000_000]

/** Writes a rate: "600 per minute". While a number is being typed it may be none. */
export const perMinuteText = (perMinute: number): string =>
  Number.isFinite(perMinute) ? `${countText(perMinute)} per minute` : 'a rate that is not complete'

/** Says how fast a send goes out and how long that takes: "600 per minute · about 12 minutes left". */
export const rateLine = (perMinute: number, etaSeconds: number | null): string =>
  etaSeconds === null || etaSeconds <= 0 ? perMinuteText(perMinute) : `${perMinuteText(perMinute)} · about ${spanOf(etaSeconds)} left`
