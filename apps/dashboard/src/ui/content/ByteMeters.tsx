import { platformNames } from '@herald/contracts/platform'
import { CircleCheck, CircleX, Scissors } from 'lucide-react'
import { countText } from '../../core/number.ts'
import type { Measured } from '../../core/measure.ts'
import { Bar } from '../Bar.tsx'

const looks = {
  fits: { kind: 'good', Icon: CircleCheck, text: 'text-muted' },
  empty: { kind: 'off', Icon: CircleX, text: 'text-warning' },
  cut: { kind: 'warning', Icon: Scissors, text: 'text-warning' },
  too_large: { kind: 'bad', Icon: CircleX, text: 'text-bad' },
} as const

/**
 * Shows how large the push is on each platform, measured by the code that encodes it, and whether its text is cut or the push is skipped or refused.
 */
export function ByteMeters({ measured, silent }: { measured: readonly Measured[]; silent?: boolean | undefined }) {
  return (
    <ul className="flex flex-col gap-2" aria-label="Size of the push">
      {measured.map((one) => {
        const { kind, Icon, text } = looks[one.fate]
        const size = `${platformNames[one.platform]} ${countText(one.bytes)} of ${countText(one.limit)} bytes`
        return (
          <li key={one.platform} className="grid grid-cols-[4.5rem_1fr_auto] items-center gap-x-3 gap-y-0.5">
            <span>{platformNames[one.platform]}</span>
            <Bar value={one.bytes} of={one.limit} kind={kind} label={size} />
            <span className="text-sm tabular-nums">
              {countText(one.bytes)} of {countText(one.limit)}
            </span>
            <span className={`col-span-3 flex items-start gap-1.5 text-sm ${text}`}>
              {one.fate !== 'fits' && <Icon size={14} className="mt-0.5 shrink-0" aria-hidden />}
              {explain(one, silent === true)}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

function explain({ fate, bytes, limit, cutBy, platform, notes }: Measured, silent: boolean): string {
  if (silent && platform === 'web') return 'Skipped: browsers take no silent messages.'
  if (fate === 'empty') return 'Skipped: title and text are empty for this person.'
  if (fate === 'cut') return `Truncated: … replaces the last ${countText(cutBy)} characters of the text.`
  if (fate === 'too_large') return `Refused: ${countText(bytes - limit)} bytes too many. Shorten the links, the buttons or the data.`
  const dropped = notes.filter(({ code }) => code === 'url_dropped' || code === 'image_dropped').map(({ path }) => path)
  const names = [...new Set(dropped.map((path) => (path === 'image' ? 'the image' : path === 'url' ? 'the link' : 'the link of a button')))]
  return names.length === 0 ? '' : `Left out, not a valid URL for this user: ${names.join(', ')}.`
}
