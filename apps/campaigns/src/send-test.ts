import { findTestDevices } from '@herald/contracts/calls/audience'
import { fault, invalidField, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { NotQueued, TestSelector, TestSend } from '@herald/contracts/test-send'
import { acceptedId, findReplay } from './accept-campaigns.ts'
import { invalidVariant } from './core/experiment.ts'
import { markTitles, type ResolvedSend } from './core/overrides.ts'
import { refuseTooLarge, resolveFields } from './resolve-fields.ts'
import { notificationName, type Accepting } from './send-notification.ts'
import { findWhole } from './store/campaigns.ts'
import type { Accepted, Idempotency } from './campaigns.ts'

export type TestRequest = { appId: string; idempotency: Idempotency | null; test: TestSend }
export type TestAnswer = { id: string; status: 'sending'; replayed: boolean; notQueued: NotQueued[] }

/**
 * Accepts a test, in the order of a notification (spec: administration/test-send). It stores a copy of its template, which does not count as a use.
 * Faults: not_found, unknown_variant, invalid_body, invalid_state, idempotency_key_reused, idempotency_in_progress.
 */
export async function sendTest(campaigns: Accepting, { appId, idempotency, test }: TestRequest): Promise<TestAnswer> {
  const replay = await findReplay(campaigns, appId, idempotency)
  if (replay) return answerOf(replay)

  const tested = await resolveTested(campaigns, appId, test)
  const { devices } = await campaigns.bus.call(findTestDevices, { appId, selector: selectorOf(test) })
  const send = test.mark ? { ...tested.send, content: markTitles(tested.send.content) } : tested.send
  refuseTooLarge(send)

  const reachable = devices.flatMap(({ subscriptionId, unreachable }) => (unreachable === null ? [subscriptionId] : []))
  const notQueued = devices.flatMap(({ subscriptionId, platform, unreachable }): NotQueued[] =>
    unreachable === null ? [] : [{ subscriptionId, platform, code: unreachable }],
  )
  const accepted = await campaigns.accept({
    campaign: {
      id: newId(),
      appId,
      name: tested.name,
      status: 'sending',
      transactional: true,
      target: { kind: 'subscriptionIds', subscriptionIds: reachable },
      templateId: null,
      segmentId: null,
      schedule: null,
      experiment: null,
      test: true,
      send,
    },
    idempotency,
    notQueued,
  })
  return answerOf(accepted)
}

function answerOf(accepted: Accepted): TestAnswer {
  const answered = acceptedId(accepted)
  return { ...answered, status: 'sending', notQueued: accepted.kind === 'refused' ? [] : (accepted.notQueued ?? []) }
}

/** Gives the name and the send fields of a test: of the request, or of a campaign in any status. A variant that is named gives the content. */
async function resolveTested(campaigns: Accepting, appId: string, test: TestSend): Promise<{ name: string; send: ResolvedSend }> {
  const { campaignId, variant } = test
  if (campaignId === undefined) return { name: notificationName, send: await resolveFields(campaigns, appId, test) }
  const campaign = await findWhole(campaigns.db, appId, campaignId)
  if (!campaign) throw notFound()
  if (campaign.activity) throw fault('invalid_state', 'A send to a Live Activity has no notification to test.')
  const { name, silent, data, ttl, priority, presentation, overrides, category, bypass, experiment } = campaign
  const chosen = experiment?.variants.find(({ id }) => id === variant)
  if (variant !== undefined && !chosen) throw invalidVariant()
  const content = chosen?.content ?? campaign.content
  if (content === null && !silent) throw fault('invalid_state', 'The campaign has no content to send.')
  return {
    name,
    send: {
      content,
      silent,
      data,
      ttl,
      collapseId: campaign.collapseId,
      priority,
      presentation,
      overrides,
      category,
      bypass,
      perMinute: null,
    },
  }
}

function selectorOf({ subscriptionId, subscriptionIds, userIds, externalIds }: TestSend): TestSelector {
  if (subscriptionId !== undefined) return { subscriptionId }
  if (subscriptionIds) return { subscriptionIds }
  if (userIds) return { userIds }
  if (externalIds) return { externalIds }
  throw invalidField('subscriptionId', 'is required')
}
