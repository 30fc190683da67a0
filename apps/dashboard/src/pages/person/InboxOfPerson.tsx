import { client, dataOf } from '../../api/client.ts'
import { usePages } from '../../api/usePages.ts'
import { useAppId } from '../../session/useAppId.ts'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Section } from '../../ui/Section.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'

/** Shows a person's inbox with the texts as the person reads them now. Shows nothing while nothing was sent into it. */
export function InboxOfPerson({ userId }: { userId: string }) {
  const appId = useAppId()
  const pages = usePages(['inbox', appId, userId], async (cursor, signal) =>
    dataOf(
      await client.GET('/v1/admin/apps/{appId}/users/{id}/inbox', {
        params: { path: { appId, id: userId }, query: { limit: 20, ...(cursor === undefined ? {} : { cursor }) } },
        signal,
      }),
    ),
  )
  if (pages.fault)
    return (
      <Section title="Inbox">
        <ErrorNote error={pages.fault} retry={() => void pages.query.refetch()} />
      </Section>
    )
  if (pages.items.length === 0 && !pages.hasMore) return null
  return (
    <Section title="Inbox">
      <ul aria-label="Inbox" className="grid list-none gap-2 p-0">
        {pages.items.map(({ id, title, body, category, sentAt, readAt, opened }) => (
          <li key={id} className="rounded-lg border border-line bg-surface px-4 py-3">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: id }} className="font-medium break-words">
                <span dir="auto">{title || 'Without a title'}</span>
              </TextLink>
              <span className="text-sm text-muted">
                <Time at={sentAt} />
              </span>
            </p>
            <p dir="auto" className="line-clamp-3 break-words whitespace-pre-line">
              {body}
            </p>
            <p className="mt-1 flex flex-wrap gap-2 text-sm text-muted">
              {readAt === null ? (
                'Unread'
              ) : (
                <span>
                  Read <Time at={readAt} />
                </span>
              )}
              {opened && <span>Push opened</span>}
              {category !== null && <Tag>{category}</Tag>}
            </p>
          </li>
        ))}
      </ul>
      <LoadMore pages={pages} />
    </Section>
  )
}
