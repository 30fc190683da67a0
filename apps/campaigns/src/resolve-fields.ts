import { fault, invalidField, notFound, type FaultDetail } from '@herald/contracts/fault'
import { checkFits } from '@herald/contracts/payload'
import type { SendFields } from '@herald/contracts/send-fields'
import { resolveSend, type ResolvedSend } from './core/overrides.ts'
import { findTemplateDefaults } from './store/templates.ts'
import type { Db } from './store/tables.ts'

/**
 * The send fields of a request with its template's and the defaults filled in: a copy, so a template that changes later changes
 * no campaign. Faults: not_found (the template); invalid_body when there is nothing to show.
 */
export async function resolveFields(
  { db, defaultTtlSeconds }: { db: Db; defaultTtlSeconds: number },
  appId: string,
  fields: SendFields,
): Promise<ResolvedSend> {
  const { templateId } = fields
  const template = templateId === undefined ? undefined : await findTemplateDefaults(db, appId, templateId)
  if (templateId !== undefined && !template) throw notFound()
  const send = resolveSend(fields, template, defaultTtlSeconds)
  if (send.content === null && !send.silent) throw invalidField('content', 'is required unless templateId or silent: true is given')
  return send
}

/** Refuses what no device could get: more than a platform takes even when cut (spec: content/too-large-at-create), at each locale's path below `at`. */
export function refuseTooLarge(send: Parameters<typeof checkFits>[0], at = ''): void {
  const tooLarge = checkFits(send).map(({ path, message }): FaultDetail => ({ path: `${at}${path}`, message }))
  const [first] = tooLarge
  if (first) throw fault('invalid_body', `${first.path} ${first.message}`, tooLarge)
}
