import { z } from 'zod'
import { Content } from './content.ts'
import { Overrides } from './overrides.ts'
import { deliveryFields, Presentation, Priority, SendRate } from './send-fields.ts'
import { Id, name, sentence } from './text.ts'

/** The body of POST and PUT /v1/templates. PUT replaces the complete template: an optional field that is left out is removed. */
export const SaveTemplate = z.strictObject({
  name: name(120),
  description: sentence(1, 500).nullable().optional(),
  content: Content,
  ...deliveryFields,
})
export type SaveTemplate = z.output<typeof SaveTemplate>

const Time = z.iso.datetime()

/**
 * A template, as the API answers it (spec: content/template-fields). A nullable field that is not set is null. `useCount`: how many campaigns and
 * notifications have used the template; tests do not count.
 */
export const Template = z.object({
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  content: z.record(z.string(), z.unknown()),
  data: z.record(z.string(), z.string()).nullable(),
  presentation: Presentation.nullable(),
  overrides: Overrides.nullable(),
  ttl: z.number().int().nullable(),
  collapseId: z.string().nullable(),
  priority: Priority.nullable(),
  silent: z.boolean().nullable(),
  category: z.string().nullable(),
  sendRate: SendRate.nullable(),
  useCount: z.number().int(),
  createdAt: Time,
  updatedAt: Time,
})
export type Template = z.infer<typeof Template>
