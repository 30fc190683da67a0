import { z } from 'zod'
import { ObjectId } from './text.ts'

/** A page of an inbox has at most this many items; the count of unread items ends at `mostUnread` (spec: inbox/list). */
export const inboxPage = 50
export const mostUnread = 100
/** A request marks at most this many items by name. */
const mostMarked = 100

const Time = z.iso.datetime()

/** An item of a person's inbox: a send as its text is shown to the person now (spec: inbox/item). */
export const InboxItem = z.object({
  id: z.string().meta({ description: 'The id of the notification or campaign.' }),
  title: z.string(),
  body: z.string(),
  url: z.string().nullable(),
  image: z.string().nullable(),
  actions: z.array(z.object({ id: z.string(), title: z.string(), url: z.string().nullable() })),
  data: z.record(z.string(), z.string()),
  category: z.string().nullable().meta({ description: 'The id of the send’s category; null without one.' }),
  sentAt: Time,
  readAt: Time.nullable(),
  opened: z.boolean().meta({ description: 'Whether a device reported that the notification was opened or clicked.' }),
})
export type InboxItem = z.infer<typeof InboxItem>

/** A page of an inbox, newest first. */
export const Inbox = z.object({
  items: z.array(InboxItem),
  unread: z.int().meta({ description: `How many of the newest ${mostUnread} items are unread.` }),
  nextCursor: z.string().nullable(),
})
export type Inbox = z.infer<typeof Inbox>

/** The body of POST …/inbox/read: items by name, or all that were sent up to a moment. `read: false` makes them unread again. */
export const MarkInbox = z
  .strictObject({
    ids: z.array(ObjectId).min(1).max(mostMarked).optional(),
    all: z.literal(true).optional(),
    before: Time.optional(),
    read: z.boolean().optional(),
  })
  .superRefine(({ ids, all, before, read }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', message, path: [path] })
    if (ids === undefined && all === undefined) refuse('ids', 'is required unless all: true is given')
    if (ids !== undefined && all !== undefined) refuse('all', 'must not be given together with ids')
    if (before !== undefined && (all === undefined || read === false)) refuse('before', 'goes with all: true, and not with read: false')
  })
export type MarkInbox = z.output<typeof MarkInbox>
