import { explainDevices, listOpenPushes, readWaves } from '@herald/contracts/calls/audience'
import { explainCampaign, readCampaign } from '@herald/contracts/calls/campaigns'
import { explainPushes, exportPushesOfCampaign, listPushes, listStats, verifyCampaign } from '@herald/contracts/calls/tracker'
import { listDeliveries } from '@herald/contracts/calls/webhooks'
import { unnamedField, whyNotSchema } from '@herald/testing/json-schema'
import { exampleOf } from '../openapi/http/examples.ts'
import * as shop from '../http/shop.ts'
import { templateOf } from '../openapi/http/openapi.ts'
import type { Route } from '../http/route.ts'
import { administrationDescription as description } from '../http/documents.ts'
import type { Told } from './ask.ts'

type Operation = { responses: Record<number, { content?: Record<string, { schema: unknown }> }> }

/**
 * Says why an answer of the administration is not as its document says: its schema does not fit, or the answer has a field that the schema does not
 * name. Undefined when it is as the document says.
 */
export function whyNotDescribed({ method, path }: Route, { status, headers, text, body }: Told): string | undefined {
  const operation: unknown = description.paths?.[templateOf(path)]?.[method]
  const response = (operation as Operation).responses[status]
  if (response === undefined) return `the status ${status} is not described`
  const [[mediaType, content] = []] = Object.entries(response.content ?? {})
  if (mediaType === undefined) return text === '' ? undefined : `a body is not described: ${text}`
  const type = String(headers['content-type'])
  if (!type.startsWith(mediaType)) return `the content type is ${type} instead of ${mediaType}`
  if (mediaType !== 'application/json') return undefined
  const schema = content?.schema
  return whyNotSchema(description, schema, body) ?? unnamedField(description, schema, body)
}

const shown = (name: string) => exampleOf[name]?.answer as Record<string, unknown>
const [openPush = {}, endedPush = {}] = (shown('listPushes')['items'] as Record<string, unknown>[]).map(
  ({ externalId: _externalId, ...push }) => push,
)
/** An open push as audience answers it, without the fields that the gateway adds. */
const { outcome: _outcome, variant: _variant, attempts: tries, settledAt: _at, engagements: _reports, ...ofAudience } = openPush

const explained = shown('explainSend')
const [trace = {}] = explained['devices'] as Record<string, unknown>[]
const { id, name, status, cancelling, transactional, createdAt, startedAt, settledAt } = shown('readCampaignOfApp')
const campaign = { id, name, status, cancelling, transactional, createdAt }

/** Answers of the fake services (start-peers.ts) to calls that usually find nothing, so that the tests can check answers with content. */
export const fullAnswers: readonly [call: { subject: string }, answer: unknown][] = [
  [listOpenPushes, { items: [{ ...ofAudience, tries }], nextCursor: null }],
  [listPushes, { items: [endedPush], nextCursor: null }],
  [listStats, { stats: { [shop.campaignId]: shown('readCampaignOfApp')['stats'] } }],
  [readCampaign, campaign],
  [readWaves, { waves: shown('listWavesOfCampaign')['items'] }],
  [exportPushesOfCampaign, { pushes: [], next: null }],
  [
    explainCampaign,
    {
      status,
      startedAt,
      settledAt,
      nextAt: null,
      pause: null,
      failure: null,
      cancelled: false,
      send: {},
      target: { kind: 'all' },
      forgottenBy: null,
      recalls: [],
    },
  ],
  [explainPushes, { ledger: 'kept', fannedOutAt: explained['fannedOutAt'], pushes: [] }],
  [
    explainDevices,
    {
      ...{ startedAt, settledAt, failure: null },
      devices: [
        {
          ...{ subscriptionId: trace['subscriptionId'], platform: trace['platform'], owner: explained['user'] },
          ...{ steps: trace['steps'], push: { is: 'past' } },
        },
      ],
    },
  ],
  [verifyCampaign, shown('verifyCampaignOfApp')],
  [listDeliveries, shown('listWebhookDeliveries')],
]
