import { findTestDevices } from '@herald/contracts/calls/audience'
import { fault, invalidField, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { NotQueued, TestSelector, TestSend } from '@herald/contracts/test-send'
import { acceptedId, findReplay, type Accepted, type Idempotency } from './accept-campaigns.ts'
import { invalidVariant } from './core/experiment.ts'
import { markTitles, type ResolvedSend } from './core/overrides.ts'
import { refuseTooLarge, resolveFields } from './resolve-fields.ts'
import { notificationName, type Accepting } from './send-notification.ts'
import { findWhole } from './store/campaigns.ts'

export type TestRequest = { appId: string; idempotency: Idempotency | null; test: TestSend }
export type TestAnswer = { id: string; status: 'sending'; replayed: boolean; notQueued: NotQueued[] }

/**
 * Accepts a test: a notification to single devices that is marked as one (spec: administration/test-send). The order is a notification's: the idempotency record, then look-ups
 * (what is tested, then the devices), then the transaction. A template's use is not noted: the test keeps a copy of what it brings and not its id.
 * Faults: not_found, unknown_variant, invalid_body, idempotency_key_reused, idempotency_in_progress.
 */
export async function sendTest(accepting: Accepting, { appId, idempotency, test }: TestRequest): Promise<TestAnswer> {
  const replay = await findReplay(accepting, appId, idempotency)
  if (replay) return answerOf(replay)

  const tested = await resolveTested(accepting, appId, test)
  const { devices } = await accepting.bus.call(findTestDevices, { appId, selector: selectorOf(test) })
  const send = test.mark ? { ...tested.send, content: markTitles(tested.send.content) } : tested.send
  refuseTooLarge(send)

  const reachable = devices.flatMap(({ subscriptionId, unreachable }) => (unreachable === null ? [subscriptionId] : []))
  const notQueued = devices.flatMap(({ subscriptionId, platform, unreachable }): NotQueued[] =>
    unreachable === null ? [] : [{ subscriptionId, platform, code: unreachable }],
  )
  const accepted = await accepting.accept({
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

/** What is tested: the send fields, or what a campaign or a variant of its experiment says, whatever its status. */
async function resolveTested(accepting: Accepting, appId: string, test: TestSend): Promise<{ name: string; send: ResolvedSend }> {
  const { campaignId, variant } = test
  if (campaignId === undefined) return { name: notificationName, send: await resolveFields(accepting, appId, test) }
  const campaign = await findWhole(accepting.db, appId, campaignId)
  if (!campaign) throw notFound()
  const { name, silent, data, ttl, priority, presentation, bypass, experiment } = campaign
  const chosen = experiment?.variants.find(({ id }) => id === variant)
  if (variant !== undefined && !chosen) throw invalidVariant()
  const content = chosen?.content ?? campaign.content
  if (content === null && !silent) throw fault('invalid_state', 'The campaign has no content to send.')
  return { name, send: { content, silent, data, ttl, collapseId: campaign.collapse_id, priority, presentation, bypass } }
}

function selectorOf({ subscriptionId, subscriptionIds, userIds, externalIds }: TestSend): TestSelector {
  if (subscriptionId !== undefined) return { subscriptionId }
  if (subscriptionIds) return { subscriptionIds }
  if (userIds) return { userIds }
  if (externalIds) return { externalIds }
  throw invalidField('subscriptionId', 'is required')
}
