import type { EngagementKind } from '@herald/contracts/event'

export type CurvePoint = { afterSeconds: number } & Record<EngagementKind, number>
export type CurveSpan = 'hour' | 'day' | 'all'
const spanSeconds: Record<CurveSpan, number> = { hour: 3_600, day: 86_400, all: Infinity }

/** Gives the spans in which a curve can be shown: those that the time since the send exceeds, and all of it. */
export const curveSpans = (points: readonly CurvePoint[]): CurveSpan[] => {
  const last = points.at(-1)?.afterSeconds ?? 0
  return (['hour', 'day', 'all'] as const).filter((span) => span === 'all' || last >= spanSeconds[span])
}

/**
 * Gives how many reports had come by the end of each step within a span, beginning with none at the send. A sum needs no steps of one length: they are
 * a minute in the first hour, then 10 minutes, and after a day an hour.
 */
export function risingCurve(points: readonly CurvePoint[], span: CurveSpan): { afterSeconds: number[] } & Record<EngagementKind, number[]> {
  const shown = points.filter(({ afterSeconds }) => afterSeconds < spanSeconds[span])
  const rising = (kind: EngagementKind): number[] => {
    let sum = 0
    return [0, ...shown.map((point) => (sum += point[kind]))]
  }
  return {
    afterSeconds: [0, ...shown.map(({ afterSeconds }) => afterSeconds + stepSecondsAt(afterSeconds))],
    delivered: rising('delivered'),
    opened: rising('opened'),
    clicked: rising('clicked'),
    dismissed: rising('dismissed'),
  }
}

const stepSecondsAt = (afterSeconds: number): number =>
  afterSeconds < spanSeconds.hour ? 60 : afterSeconds < spanSeconds.day ? 600 : 3_600
