import type { ReactNode } from 'react'
import type { components } from '../../api/schema.gen.ts'
import { useCategories } from '../../api/useCategories.ts'
import { describeAudience } from '../../core/audience-text.ts'
import { nameOfLocale } from '../../core/locale-tabs.ts'
import { whatActivityDoes } from '../../core/send-name.ts'
import { perMinuteText } from '../../core/send-rate.ts'
import { scheduleText } from '../../core/schedule-text.ts'
import { spanOf } from '@herald/contracts/span-of'
import { Section } from '../../ui/Section.tsx'
import { Json } from '../../ui/Code.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import type { Campaign } from './useSend.ts'

type Content = components['schemas']['ContentMap']
type Entry = components['schemas']['LocaleEntry']

/** Shows the audience, the schedule, the options and the texts of a campaign, which do not change after the campaign was sent. */
export function ContentAsSent({ appId, campaign }: { appId: string; campaign: Campaign }) {
  const { content, experiment, templateId, ttl, priority, collapseId, silent, data, presentation, overrides, bypass, category, activity } =
    campaign
  // The composer stores the first variant's text as the campaign's too.
  const isFirstVariant = JSON.stringify(content) === JSON.stringify(experiment?.variants[0]?.content)
  return (
    <Section title="Message and settings">
      <div className="grid grid-cols-1 gap-4">
        <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[8rem_1fr]">
          <Fact name="Audience">
            {activity !== undefined && activity.event !== 'start' ? (
              'All devices that show this Live Activity'
            ) : (
              <Audience appId={appId} audience={campaign.audience} />
            )}
          </Fact>
          {templateId !== null && (
            <Fact name="Template">
              <TextLink to="/apps/$appId/templates/$templateId" params={{ appId, templateId }}>
                {templateId}
              </TextLink>
            </Fact>
          )}
          <Fact name="When">{scheduleText(campaign.schedule)}</Fact>
          <Fact name="Time to live">{ttl === 0 ? 'Only if reachable at once' : spanOf(ttl)}</Fact>
          <Fact name="Priority">{priority}</Fact>
          {collapseId !== null && <Fact name="Collapse id">{collapseId}</Fact>}
          {category !== null && (
            <Fact name="Category">
              <CategoryLink appId={appId} id={category} />
            </Fact>
          )}
          {campaign.inbox && <Fact name="Inbox">Also shown in the in-app inbox, for opted-out users too</Fact>}
          {campaign.sendRate !== null && <Fact name="Rate">{perMinuteText(campaign.sendRate.perMinute)}</Fact>}
          {activity !== undefined && <Fact name="Live Activity">{whatActivityDoes(activity, silent)}</Fact>}
          {silent && activity === undefined && <Fact name="Silent">It shows nothing.</Fact>}
          {Object.keys(data).length > 0 && (
            <Fact name="Data">
              <Details summary={Object.keys(data).join(', ')} value={data} />
            </Fact>
          )}
          {presentation !== null && Object.keys(presentation).length > 0 && (
            <Fact name="Appearance">
              <Details summary={Object.keys(presentation).map(spaced).join(', ')} value={presentation} />
            </Fact>
          )}
          {overrides !== null && Object.keys(overrides).length > 0 && (
            <Fact name="Provider fields">
              <Details summary={Object.keys(overrides).join(', ')} value={overrides} />
            </Fact>
          )}
          {rulesOf(bypass).length > 0 && <Fact name="Ignores">{rulesOf(bypass).join(' and ')}</Fact>}
          {bypass.holdout === true && <Fact name="Control group">Also sent to the control group</Fact>}
        </dl>
        {content !== null && !isFirstVariant && <Locales content={content} name={experiment ? 'Base message' : undefined} />}
        {experiment?.variants.map((variant) => (
          <Locales key={variant.id} content={variant.content} name={variant.name} />
        ))}
        {content === null && !silent && <p className="text-muted">The text is the template’s.</p>}
      </div>
    </Section>
  )
}

/** Writes the name of a field of the API in words: "interruption level". */
const spaced = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const rulesOf = ({ frequencyCap, quietHours }: Campaign['bypass']): string[] =>
  [frequencyCap === true && 'the frequency cap', quietHours === true && 'quiet hours'].filter((rule) => rule !== false)

/** Names a category. One that was deleted since has only its id. */
function CategoryLink({ appId, id }: { appId: string; id: string }) {
  const { data } = useCategories(appId)
  const name = data?.items.find((category) => category.id === id)?.name
  if (name === undefined) return <code className="font-mono text-xs">{id}</code>
  return (
    <TextLink to="/apps/$appId/categories" params={{ appId }}>
      {name}
    </TextLink>
  )
}

/** Says whom the campaign goes to, with links to the saved segment or the experiment, and the definition or the ids behind a fold. */
function Audience({ appId, audience }: { appId: string; audience: Campaign['audience'] }) {
  const words = describeAudience(audience)
  switch (audience.kind) {
    case 'everyone':
      return words
    case 'segment':
      return (
        <>
          {audience.segmentId !== null && (
            <TextLink to="/apps/$appId/segments/$segmentId" params={{ appId, segmentId: audience.segmentId }}>
              A saved segment
            </TextLink>
          )}
          {audience.segment != null && <Details summary={words} value={audience.segment} />}
        </>
      )
    case 'people':
    case 'test':
      if (audience.ids === null) return `${words}. The recipient list is not kept after sending.`
      return <Details summary={words} value={audience.ids} />
    case 'remainder':
    case 'reached':
      return (
        <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: audience.of }}>
          {words}
        </TextLink>
      )
  }
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="m-0 min-w-0 break-words">{children}</dd>
  </>
)

const Details = ({ summary, value }: { summary: string; value: unknown }) => (
  <details>
    <summary className="min-h-6 cursor-pointer">{summary}</summary>
    <Json value={value} />
  </details>
)

function Locales({ content, name }: { content: Content; name: string | undefined }) {
  const { _default: fallback, ...locales } = content
  const entries = Object.entries(locales).filter((entry): entry is [string, Entry] => typeof entry[1] === 'object')
  return (
    <section className="grid gap-2">
      {name !== undefined && <h3 className="font-medium">{name}</h3>}
      <ul className="grid list-none gap-2 p-0 lg:grid-cols-2">
        {entries.map(([locale, entry]) => (
          <li key={locale} lang={locale} className="border-line grid content-start gap-1 rounded border p-3">
            <p className="text-muted text-sm" lang="en">
              {nameOfLocale(locale)}
              {locale === fallback && ' (default language)'}
            </p>
            <p className="font-medium break-words">{entry.title}</p>
            <p className="break-words whitespace-pre-wrap">{entry.body}</p>
            {entry.url !== undefined && <p className="text-muted text-sm break-all">Opens {entry.url}</p>}
            {entry.image !== undefined && <p className="text-muted text-sm break-all">Image {entry.image}</p>}
            {entry.actions !== undefined && entry.actions.length > 0 && (
              <p className="text-muted text-sm">Buttons: {entry.actions.map(({ title }) => title).join(', ')}</p>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
