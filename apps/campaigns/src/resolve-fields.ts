import { fault, invalidField, unknownId, type Fault, type FaultDetail } from '@herald/contracts/fault'
import { checkFits } from '@herald/contracts/payload'
import type { SendFields } from '@herald/contracts/send-fields'
import type { Campaigns } from './campaigns.ts'
import { resolveSend, type ResolvedSend } from './core/overrides.ts'
import { findForSend } from './store/categories.ts'
import { findTemplateDefaults } from './store/templates.ts'

/**
 * Gives a request's send fields with copies of its template's and its category's, and the defaults. Faults: not_found (the template); invalid_body
 * without content and `silent`, or for an unknown category.
 */
export async function resolveFields(
  { db, defaultTtlSeconds }: Pick<Campaigns, 'db' | 'defaultTtlSeconds'>,
  appId: string,
  fields: SendFields,
): Promise<ResolvedSend> {
  const { templateId } = fields
  const template = templateId === undefined ? undefined : await findTemplateDefaults(db, appId, templateId)
  if (templateId !== undefined && !template) throw unknownId('templateId')
  const categoryId = fields.category ?? template?.category ?? null
  const category = categoryId === null ? undefined : await findForSend(db, appId, categoryId)
  if (categoryId !== null && !category) throw unknownCategory()
  const send = resolveSend(fields, template, defaultTtlSeconds, category)
  if (send.content === null && !send.silent) throw invalidField('content', 'is required unless templateId or silent: true is given')
  if (send.inbox && send.silent) throw invalidField('inbox', 'must not be given together with silent, which the template brings')
  return send
}

export const unknownCategory = (): Fault => invalidField('category', 'names no category of this app')

/**
 * Refuses a content that is too large for a platform even after its texts were shortened (spec: content/too-large-at-create). The fault names each
 * such locale, by its path below `at`.
 */
export function refuseTooLarge(send: Parameters<typeof checkFits>[0], at = ''): void {
  refuse(checkFits(send).map(({ path, message }): FaultDetail => ({ path: `${at}${path}`, message })))
}

/** Throws the Fault for what is too large; nothing when that is nothing. */
export function refuse(tooLarge: FaultDetail[]): void {
  const [first] = tooLarge
  if (first) throw fault('invalid_body', `${first.path} ${first.message}`, tooLarge)
}
