import { Id, ObjectId } from '@herald/contracts/text'
import { z } from 'zod'
import { pageOf, pageQuery } from '../../core/page.ts'
import { Count, describes, listOf, Time } from '../../http/answers.ts'
import { own, route } from '../../http/route.ts'
import { campaignId, keyId, listOf as listExample, monday, tuesday, type Example } from '../../http/shop.ts'
import { SaveDraft } from '../core/draft-body.ts'
import { listDrafts, readDraft, removeDraft, saveDraft } from '../manage-drafts.ts'
import type { ListedDraft } from '../store/drafts.ts'

const ListedDraftRead = describes<ListedDraft>()(
  z.object({
    id: Id,
    name: z.string().nullable().meta({ description: 'The field `name` of the draft.' }),
    revision: Count.meta({ description: 'Counts the saves of the draft.' }),
    savedBy: z.string().meta({ description: 'Who saved it last.' }),
    createdAt: Time,
    updatedAt: Time,
  }),
)

const path = '/v1/admin/apps/:appId/drafts'
const onePath = `${path}/:id` as const

/** What operators write into a message before it is complete (spec: administration/drafts). It is no campaign, and nothing can send it. */
export const drafts = [
  route({
    name: 'listDrafts',
    method: 'get',
    path,
    key: 'admin',
    scope: 'read',
    query: z.strictObject({ ...pageQuery, id: ObjectId.optional().meta({ description: 'Only the draft with this id.' }) }),
    status: 200,
    summary: 'List what is written and not yet a campaign, newest first, without the texts',
    answers: listOf(ListedDraftRead),
    answer: ({ reads }, { appId, query }) => reads((db) => listDrafts({ db }, appId, pageOf(query), query.id), { appId }),
  }),
  route({
    name: 'readDraft',
    method: 'get',
    path: onePath,
    key: 'admin',
    scope: 'read',
    status: 200,
    summary: 'Read a draft that is not yet a campaign',
    answers: ListedDraftRead.extend({ draft: z.unknown().meta({ description: 'The JSON that was saved.' }) }),
    answer: ({ db }, { appId, params }) => readDraft({ db }, appId, params.id),
  }),
  route({
    name: 'saveDraft',
    method: 'put',
    path: onePath,
    key: 'admin',
    scope: 'send',
    body: SaveDraft,
    status: 200,
    summary: 'Save what is written, over the revision that was seen',
    description:
      'The client chooses the id, 24 hexadecimal characters. With a revision that is not the present one the answer is 409: somebody else has saved it since. Repeating a save changes nothing. An app has at most 200 drafts.',
    answers: ListedDraftRead,
    faults: ['invalid_state', 'limit_reached'],
    audit: { action: 'draft.changed', change: 'own', isAutosave: true },
    answer: ({ db }, { appId, params, body, actor, note }) => saveDraft({ db, note }, { appId, id: params.id, by: actor, body }),
  }),
  route({
    name: 'deleteDraft',
    method: 'delete',
    path: onePath,
    key: 'admin',
    scope: 'send',
    status: 204,
    summary: 'Delete a draft that is not yet a campaign',
    audit: own('draft.deleted'),
    answer: ({ db }, { appId, params, note }) => removeDraft({ db, note }, appId, params.id),
  }),
]

const draft = { id: keyId, name: 'Weekend sale', revision: 3, savedBy: 'Dana', createdAt: monday, updatedAt: tuesday } satisfies ListedDraft
const written = { name: 'Weekend sale', title: 'Everything must', campaignId }

/** Examples of drafts, by route name. */
export const draftExamples: Record<string, Example> = {
  listDrafts: { answer: listExample(draft) },
  readDraft: { answer: { ...draft, draft: written } },
  saveDraft: { bodies: { 'the first save': { draft: written, revision: 0 } }, answer: { ...draft, revision: 1 } },
}
