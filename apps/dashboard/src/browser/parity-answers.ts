import { CreateCampaign } from '@herald/contracts/campaign'
import { chooseLocale, type Content, type LocaleEntry } from '@herald/contracts/content'
import { Fault } from '@herald/contracts/fault'
import { nextDue, type Recurrence } from '@herald/contracts/occurrences'
import { checkFits, encodePush, lengthOfMsgId, type PushSend } from '@herald/contracts/payload'
import type { PlaceholderValues } from '@herald/contracts/placeholder'
import { platforms } from '@herald/contracts/platform'
import { compileEntry, type RenderNote } from '@herald/contracts/render-entry'
import { parseSegment } from '@herald/contracts/segment'
import { parseBody } from '@herald/contracts/validate'

/** A content, and everything else that the contracts need to answer what a page asks about it. */
export type ParityCase = {
  name: string
  content: Content
  language: string | null
  values: Omit<PlaceholderValues, 'now'> & { now: string }
  send: PushSend
  segment: unknown
  recurrence: Recurrence
}

/**
 * Gives what the contracts answer to each case. `parity.test.ts` runs this function in Node, and bundled as for a page, without Node's modules. Both
 * results must be equal.
 */
export function answersOf(cases: readonly ParityCase[]): unknown[] {
  return cases.map(({ name, content, language, values, send, segment, recurrence }) => {
    const chosen = chooseLocale(content, language)
    const notes: RenderNote[] = []
    const shown = compileEntry(chosen.entry)({ ...values, now: new Date(values.now) }, (note) => notes.push(note))
    return {
      name,
      locale: chosen.locale,
      shown: shown ?? null,
      notes,
      pushes: platforms.map((platform) => bodyOf(platform, shown ?? null, send)),
      fits: checkFits({ content, ...send }),
      campaign: parsed({ name, content, segment, data: send.data, overrides: send.overrides ?? undefined, schedule: recurrence }),
      segment: parseSegment(segment, 'segment'),
      next: nextDue(recurrence, new Date(values.now), new Date(values.now))?.toISOString() ?? null,
    }
  })
}

const bodyOf = (platform: (typeof platforms)[number], entry: LocaleEntry | null, send: PushSend) =>
  encodePush(platform, { msgId: 'm'.repeat(lengthOfMsgId(platform)), entry, send }, 'a-token', 3600)

function parsed(campaign: unknown): unknown {
  try {
    return parseBody(CreateCampaign, campaign)
  } catch (error) {
    if (error instanceof Fault) return { message: error.message, details: error.details }
    throw error
  }
}
