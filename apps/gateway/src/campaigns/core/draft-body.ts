import { firstCodePoints } from '@herald/contracts/text'
import { z } from 'zod'

/** A draft has at most this many bytes as JSON, the bound of a content too. */
const mostBytes = 65_536
/** JSON that is nested deeper than this is no message, and would only cost stack. */
const mostLevels = 50
const mostOfName = 200

/** PUT …/drafts/:id. `revision`: that of the draft that this one replaces; 0 for a new draft. */
export const SaveDraft = z.strictObject({
  draft: z
    .unknown()
    .superRefine((draft, context) => {
      const message = whyNotDraft(draft)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .meta({ description: 'Any JSON, of at most 64 KiB.' }),
  revision: z.int().min(0).max(2_000_000_000).default(0).meta({ description: 'Of the draft that this one replaces; 0 for a new draft.' }),
})
export type SaveDraft = z.output<typeof SaveDraft>

function whyNotDraft(draft: unknown): string | undefined {
  if (draft === undefined) return 'is required'
  if (isDeeperThan(draft, mostLevels)) return `must be nested at most ${mostLevels} levels deep`
  return Buffer.byteLength(JSON.stringify(draft)) > mostBytes ? `must be at most ${mostBytes} bytes as JSON` : undefined
}

const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1)))

/** Gives the name that a list shows of a draft: its own field `name`, in one line; null when it has none that can be stored. */
export function nameIn(draft: unknown): string | null {
  const name: unknown = typeof draft === 'object' && draft !== null && 'name' in draft ? draft.name : undefined
  if (typeof name !== 'string') return null
  const shown = firstCodePoints(
    name
      .toWellFormed()
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
    mostOfName,
  )
  return shown === '' ? null : shown
}
