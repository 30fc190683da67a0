import { linkOptions } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { attentionNotes, unusedKeyNotes, type AttentionLink } from '../../core/attention.ts'
import { Banner } from '../../ui/Banner.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Section } from '../../ui/Section.tsx'
import { Status } from '../../ui/Status.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Overview } from './overview.ts'

/** Shows what needs the operator's attention, the worst first, each with a link to where to act. */
export function Attention({ appId, overview }: { appId: string; overview: Overview }) {
  // The keys are read apart from the overview, so that the overview need not wait for them.
  const keys = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/keys',
    { params: { path: { appId }, query: { limit: 200 } } },
    { staleTime: 300_000 },
  )
  const now = Date.parse(overview.asOf)
  const notes = [...attentionNotes(overview.attention, overview.devices, now), ...unusedKeyNotes(keys.data?.items ?? [], now)]
  if (notes.length === 0)
    return (
      <p>
        <Status kind="good">Nothing needs attention</Status>{' '}
        <span className="text-muted">
          as of <Time at={overview.asOf} precise />
        </span>
      </p>
    )
  const ordered = notes.toSorted((a, b) => Number(a.kind === 'warning') - Number(b.kind === 'warning'))
  return (
    <Section title="Needs attention">
      <ul className="grid list-none gap-2 p-0">
        {ordered.map(({ key, kind, text, since, link }) => (
          <li key={key}>
            <Banner kind={kind} action={<Act appId={appId} link={link} />}>
              {text}
              {since !== null && (
                <>
                  {' '}
                  Since <Time at={since} />.
                </>
              )}
            </Banner>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const Act = ({ appId, link }: { appId: string; link: AttentionLink }) => (
  <ButtonLink small variant="secondary" {...addressOf(appId, link)}>
    {link.label}
  </ButtonLink>
)

function addressOf(appId: string, { page, id = '', search = {} }: AttentionLink) {
  switch (page) {
    case 'providers':
      return linkOptions({ to: '/apps/$appId/providers', params: { appId } })
    case 'keys':
      return linkOptions({ to: '/apps/$appId/keys', params: { appId } })
    case 'campaign':
      return linkOptions({ to: '/apps/$appId/campaigns/$campaignId', params: { appId, campaignId: id } })
    case 'webhook':
      return linkOptions({ to: '/apps/$appId/webhooks/$webhookId', params: { appId, webhookId: id } })
    case 'log':
      return linkOptions({ to: '/apps/$appId/log', params: { appId }, search })
  }
}
