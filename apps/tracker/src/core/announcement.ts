import type { Event } from '@herald/contracts/event'

/** The most events of one announcement (contracts/event.ts). */
const mostEvents = 1_000

/** Events in portions that fit one announcement each. */
export function portions(events: Event[]): Event[][] {
  const answer: Event[][] = []
  for (let from = 0; from < events.length; from += mostEvents) answer.push(events.slice(from, from + mostEvents))
  return answer
}
