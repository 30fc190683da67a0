import type { RecordedConversion } from '@herald/contracts/calls/tracker'
import { ConversionOfUser, mostConversions, mostConversionNames, ReportConversion } from '@herald/contracts/conversion'
import { Fault, fault, invalidField, notFound } from '@herald/contracts/fault'
import { parseBody } from '@herald/contracts/validate'
import { z } from 'zod'
import { refusedItem } from '../../core/items.ts'
import type { Gateway } from '../../gateway.ts'
import { ConversionReported, ConversionsReported } from '../../http/answers.ts'
import { route } from '../../http/route.ts'
import { pushOf, reportConversions, type Reported } from '../report-conversions.ts'

/** The items are checked later, one by one, so that the others are counted when one is wrong. */
const Events = z.strictObject({ events: z.array(z.unknown()).min(1).max(mostConversions) })
const ShownEvents = z.strictObject({ events: z.array(ConversionOfUser).min(1).max(mostConversions) })

type Result = z.output<typeof ConversionsReported>['results'][number]

/** The routes by which conversions are reported (spec: conversions/report). */
export const conversions = [
  route({
    name: 'reportConversions',
    method: 'post',
    path: '/v1/conversions',
    key: 'secret',
    scope: 'users:write',
    body: Events,
    shownBody: ShownEvents,
    status: 200,
    summary: 'Report up to 500 conversions, such as orders',
    description:
      'Each names its user by `externalId` or `userId` and is attributed to the push that led to it. An id counts once, so a repeat with the same ' +
      'times changes nothing. A wrong item leaves the others alone: read `results`, which are in the order of the request.',
    answers: ConversionsReported,
    answer: (gateway, { appId, body }) => reportEach(gateway, appId, body.events),
  }),
  route({
    name: 'reportConversion',
    method: 'post',
    path: '/v1/subscriptions/:id/conversions',
    key: 'public',
    scope: 'subscriptions:write',
    limit: 'event',
    body: ReportConversion,
    status: 200,
    summary: 'Report a conversion of the user who owns a device',
    description:
      'An id counts once, so a repeat with the same time changes nothing. With a public key `value` is 422 unless the app’s setting ' +
      '`conversions.publicValues` allows it, because that key is in everybody’s hands.',
    answers: ConversionReported,
    faults: ['not_found', 'limit_reached'],
    async answer({ conversionRules, countConversion, hmacSecrets }, { appId, keyKind, params, body }) {
      const rule = await conversionRules.of(appId)
      if (!rule) throw notFound()
      if (body.value !== undefined && keyKind === 'public' && !rule.publicValues)
        throw invalidField('value', 'needs a secret key, or the app’s setting conversions.publicValues')
      const push = pushOf(hmacSecrets, appId, body.msgId)
      const reported = { of: { subscriptionId: params.id }, conversion: body, push, ...(keyKind === 'public' && { open: true as const }) }
      const result = await countConversion({ appId, attribution: rule.attribution, reported })
      if (result.status === 'unknown_user') throw notFound()
      if (result.status === 'refused') throw refusal(result)
      return { id: body.id, ...shown(result) }
    },
  }),
]

/** Counts the valid conversions of a request. The results are in the order of the items. */
async function reportEach(
  { bus, conversionRules, hmacSecrets }: Gateway,
  appId: string,
  events: unknown[],
): Promise<{ results: Result[] }> {
  const rule = await conversionRules.of(appId)
  if (!rule) throw notFound()
  const results: Result[] = []
  const valid: { index: number; reported: Reported }[] = []
  const refuse = (index: number, error: Fault) => {
    const refused = refusedItem('events', index, error)
    results[index] = { id: idOf(events[index]), status: 'invalid', ...('error' in refused && { error: refused.error }) }
  }
  events.forEach((event, index) => {
    try {
      const { externalId, userId = '', ...conversion } = parseBody(ConversionOfUser, event)
      const of = externalId === undefined ? { userId } : { externalId }
      valid.push({ index, reported: { of, conversion, push: pushOf(hmacSecrets, appId, conversion.msgId) } })
    } catch (error) {
      if (!Fault.is(error)) throw error
      refuse(index, error)
    }
  })
  const { attribution } = rule
  const answers = await reportConversions(bus, { appId, attribution, reported: valid.map(({ reported }) => reported) })
  valid.forEach(({ index }, place) => {
    const answer = answers[place]
    if (!answer) throw new Error(`${valid.length} conversions were answered with ${answers.length}`)
    if (answer.status === 'refused') refuse(index, refusal(answer))
    else if (answer.status === 'unknown_user') results[index] = { id: idOf(events[index]), status: 'unknown_user' }
    else results[index] = { id: idOf(events[index]), ...shown(answer) }
  })
  return { results }
}

const idOf = (event: unknown): string | null =>
  typeof event === 'object' && event !== null && 'id' in event && typeof event.id === 'string' ? event.id.slice(0, 128) : null

const shown = ({ status, attribution: to }: Extract<RecordedConversion, { attribution: unknown }>) => ({
  status,
  ...(to && { attribution: to }),
})

/** Makes the Fault of a conversion that the tracker refused: its time is out of range, or the app has as many names as it may. */
const refusal = ({ path, message }: Extract<RecordedConversion, { status: 'refused' }>): Fault =>
  path === 'name'
    ? fault('limit_reached', `The app has ${mostConversionNames} names of conversions already.`, [{ path, message }])
    : invalidField(path, message)
