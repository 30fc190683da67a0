import { z } from 'zod'
import { contentRequired, sendFields } from './send-fields.ts'
import { Target } from './target.ts'

/** The body of POST /v1/notifications. */
export const SendNotification = z.strictObject({ target: Target, ...sendFields }).superRefine(contentRequired)
export type SendNotification = z.output<typeof SendNotification>
