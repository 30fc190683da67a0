import { percentText } from '../core/number.ts'

export type Outcomes = { sent: number; failed: number; skipped: number; waiting: number }

const parts = [
  { key: 'sent', word: 'sent', fill: 'fill-good' },
  { key: 'failed', word: 'failed', fill: 'fill-bad' },
  { key: 'skipped', word: 'skipped', fill: 'fill-strong' },
] as const

/** A part that is not zero is at least this wide, of 100, so that one failed push of a million is seen. */
const narrowest = 0.8

/** Draws how pushes ended, as one bar of sent, failed and skipped; the rest is empty and still waits. Screen readers get the shares in words. */
export function OutcomeBar({ of: outcomes, label }: { of: Outcomes; label: string }) {
  const all = outcomes.sent + outcomes.failed + outcomes.skipped + outcomes.waiting
  const widths = parts.map(({ key }) => (outcomes[key] === 0 ? 0 : Math.max((outcomes[key] / all) * 100, narrowest)))
  const scale = Math.min(
    1,
    100 /
      Math.max(
        100,
        widths.reduce((sum, width) => sum + width, 0),
      ),
  )
  let left = 0
  return (
    <svg
      role="img"
      aria-label={`${label}: ${[...parts, { key: 'waiting', word: 'waiting' } as const]
        .filter(({ key }) => outcomes[key] > 0)
        .map(({ key, word }) => `${percentText(outcomes[key], all, 0)} ${word}`)
        .join(', ')}`}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      className="h-2 w-full min-w-12 rounded-full"
    >
      <rect width="100" height="6" className="fill-sunken" />
      {parts.map(({ key, fill }, place) => {
        const width = (widths[place] ?? 0) * scale
        const x = left
        left += width
        return width > 0 && <rect key={key} x={x} width={width} height="6" className={fill} />
      })}
    </svg>
  )
}
