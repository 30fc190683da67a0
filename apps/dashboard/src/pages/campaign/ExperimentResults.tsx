import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import {
  isCrooked,
  leaderOf,
  neededText,
  pointsText,
  shareText,
  verdictOf,
  whenDecided,
  type ExperimentReport,
} from '../../core/experiment-words.ts'
import { countText } from '../../core/number.ts'
import { isOver } from '../../core/progress.ts'
import { useNow } from '../../live/useNow.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import type { CampaignSearch } from '../search.ts'
import type { Campaign, Reading } from './useSend.ts'
import { WinnerButton } from './WinnerButton.tsx'

type Experiment = NonNullable<Campaign['experiment']>
type Props = { appId: string; campaign: Campaign; experiment: Experiment; reading: Reading; onDone: () => void }
type Row = Experiment['variants'][number] & { users: ExperimentReport['variants'][number] | undefined }

/** Herald counts the users of an experiment anew at most once a minute. */
const minuteMs = 60_000

/** Shows what an experiment shows so far: each variant's users and their share, whether it is decided, when it will be, and the buttons that send the winner. */
export function ExperimentResults({ appId, campaign, experiment, reading, onDone }: Props) {
  const names = conversionNames(campaign, experiment)
  const asked = useAsked(experiment)
  const {
    data: report,
    error,
    refetch,
  } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}/experiment',
    { params: { path: { appId, id: campaign.id }, query: asked } },
    { enabled: reading.stats.queued > 0, refetchInterval: minuteMs, staleTime: minuteMs },
  )
  const now = useNow(experiment.auto !== undefined && campaign.winner === null)
  const over = isOver(reading.status)
  const hasRemainder = experiment.sampleRate < 1
  const { winner, settledAt } = campaign
  const leader = report?.decided === true ? leaderOf(report)?.id : undefined
  const needed = report && neededText(report)
  const minutesSince = settledAt === null ? null : (now - Date.parse(settledAt)) / 60_000
  return (
    <Card title="A/B test" actions={<MetricTabs appId={appId} campaignId={campaign.id} asked={asked} names={names} />}>
      <div className="grid grid-cols-1 gap-3">
        {error && <ErrorNote error={error} retry={() => void refetch()} />}
        {report && (
          <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <Status kind={winner || report.decided ? 'good' : isCrooked(report) ? 'warning' : 'off'}>
              {winner ? 'Winner picked' : report.decided ? 'Significant' : isCrooked(report) ? 'Invalid split' : 'Not significant yet'}
            </Status>
            <span className="min-w-0 flex-1 basis-64">{verdictOf(report, nameIn(experiment), experiment.auto)}</span>
          </p>
        )}
        {winner ? (
          <Winner appId={appId} winner={winner} experiment={experiment} />
        ) : (
          <p>{whenDecided(experiment.auto, over ? minutesSince : null, hasRemainder)}</p>
        )}
        {report && isCrooked(report) && <Crooked report={report} />}
        <Table<Row>
          caption="Variants"
          rows={experiment.variants.map((one) => ({ ...one, users: report?.variants.find(({ id }) => id === one.id) }))}
          rowKey={({ id }) => id}
          columns={[
            { key: 'name', label: 'Variant', cell: ({ id, name }) => (name === id ? name : `${name} (${id})`) },
            { key: 'assigned', label: 'Users', align: 'right', cell: ({ users }) => (users ? countText(users.assigned) : '–') },
            { key: 'sent', label: 'Sent to', align: 'right', cell: ({ users }) => (users ? countText(users.sent) : '–') },
            { key: 'events', label: words[asked.metric], align: 'right', cell: ({ users }) => (users ? countText(users.events) : '–') },
            {
              key: 'share',
              label: rates[asked.metric],
              align: 'right',
              cell: ({ users }) => (users && users.sent > 0 ? shareText(users.rate) : '–'),
            },
            {
              key: 'interval',
              label: '95 % confidence interval',
              align: 'right',
              cell: ({ users }) => (users && users.sent > 0 ? `${shareText(users.low)} to ${shareText(users.high)}` : '–'),
            },
            ...(over && hasRemainder && !winner
              ? [
                  {
                    key: 'winner',
                    label: 'Winner',
                    cell: (variant: Row) => (
                      <WinnerButton
                        appId={appId}
                        campaignId={campaign.id}
                        variant={variant}
                        experiment={experiment}
                        isLeading={leader === variant.id}
                        onDone={onDone}
                      />
                    ),
                  },
                ]
              : []),
          ]}
        />
        {report && <Comparisons report={report} experiment={experiment} />}
        <p className="text-sm text-muted">
          {needed !== undefined && `${needed} `}
          Counts users, not devices
          {report && (
            <>
              {' '}
              (as of <Time at={report.asOf} />)
            </>
          )}
          .{' '}
          {report?.final
            ? 'Results are final.'
            : 'Preliminary: results are final when a winner is picked, at the latest 28 days after the last push.'}
        </p>
      </div>
    </Card>
  )
}

const words = { open: 'Opened', click: 'Clicked', conversion: 'Converted' } as const
const rates = { open: 'Open rate', click: 'Click rate', conversion: 'Conversion rate' } as const
const nameIn =
  ({ variants }: Experiment) =>
  (id: string): string =>
    variants.find((variant) => variant.id === id)?.name ?? id

/** Gives the conversions by which the variants can be compared. */
const conversionNames = ({ stats }: Campaign, { auto }: Experiment): string[] => [
  ...new Set([...(auto?.conversion === undefined ? [] : [auto.conversion]), ...Object.keys(stats.conversions ?? {})]),
]

/** Gives what the address asks for; else what the automatic winner is decided by, else the opens. */
function useAsked({ auto }: Experiment): { metric: 'open' | 'click' | 'conversion'; conversion?: string } {
  const { metric = auto?.metric ?? 'open', conversion = auto?.conversion } = useSearch({ from: '/apps/$appId/campaigns/$campaignId' })
  if (metric !== 'conversion') return { metric }
  return conversion === undefined ? { metric: 'open' } : { metric, conversion }
}

function MetricTabs({
  appId,
  campaignId,
  asked,
  names,
}: {
  appId: string
  campaignId: string
  asked: CampaignSearch
  names: readonly string[]
}) {
  const navigate = useNavigate()
  const tabs = [
    { value: 'open', label: 'Opens', search: { metric: 'open' } },
    { value: 'click', label: 'Clicks', search: { metric: 'click' } },
    ...names.map((name) => ({ value: `conversion ${name}`, label: name, search: { metric: 'conversion', conversion: name } as const })),
  ] as const
  return (
    <Tabs
      label="What is compared"
      value={asked.metric === 'conversion' ? `conversion ${asked.conversion}` : (asked.metric ?? 'open')}
      onChange={(value) =>
        void navigate({
          to: '/apps/$appId/campaigns/$campaignId',
          params: { appId, campaignId },
          search: tabs.find((tab) => tab.value === value)?.search ?? {},
          resetScroll: false,
        })
      }
      items={tabs}
    />
  )
}

function Winner({ appId, winner, experiment }: { appId: string; winner: NonNullable<Campaign['winner']>; experiment: Experiment }) {
  const who = winner.decidedBy === 'person' ? (winner.by ?? 'Your backend') : 'Herald'
  const why = { person: '', significance: ' (significant)', deadline: ' (test ended)' }[winner.decidedBy]
  return (
    <p>
      <strong>{who}</strong> picked{' '}
      <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: winner.campaignId }}>
        {nameIn(experiment)(winner.variant)}
      </TextLink>{' '}
      as the winner for the remaining audience{why}, <Time at={winner.at} />
    </p>
  )
}

const chance = (p: number | null): string => (p === null ? 'not known' : p < 0.0001 ? 'below 0.01 %' : `${(p * 100).toFixed(2)} %`)

/** Warns that the users are not split as the weights say, so that the comparison is worth nothing. */
function Crooked({ report: { sampleRatio, sentRatio } }: { report: ExperimentReport }) {
  const [what, p] = sampleRatio.ok === false ? (['users', sampleRatio.p] as const) : (['users with a push sent', sentRatio.p] as const)
  return (
    <Banner kind="warning">
      Uneven split (sample ratio mismatch): the {what} do not match the weights of the variants (p-value: {chance(p)}). Find out why before
      you trust the comparison. No winner is sent automatically.
    </Banner>
  )
}

function Comparisons({ report, experiment }: { report: ExperimentReport; experiment: Experiment }) {
  const name = nameIn(experiment)
  if (report.variants.some(({ sent }) => sent === 0)) return null
  return (
    <ul aria-label="Differences" className="grid list-none gap-1 p-0">
      {report.comparisons.map(({ a, b, difference, low, high, upliftPercent }) => (
        <li key={`${a} ${b}`} className="tabular-nums">
          <strong>
            {name(b)} against {name(a)}:
          </strong>{' '}
          {pointsText(difference)}
          {upliftPercent !== null && ` (${upliftPercent > 0 ? '+' : ''}${upliftPercent.toFixed(1).replace('-', '−')} %)`}
          <span className="text-muted">
            , 95 % confidence interval {pointsText(low)} to {pointsText(high)}
          </span>
        </li>
      ))}
    </ul>
  )
}
