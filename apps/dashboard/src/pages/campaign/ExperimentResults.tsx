import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { isOver } from '../../core/progress.ts'
import { countText } from '../../core/number.ts'
import { readExperiment, conclusionSentence, type Metric, type VariantReading } from '../../core/experiment-reading.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Card } from '../../ui/Card.tsx'
import { Status } from '../../ui/Status.tsx'
import { Table } from '../../ui/Table.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { api } from '../../api/client.ts'
import { Button } from '../../ui/Button.tsx'
import { describeAudience } from '../../core/audience-text.ts'
import { draftOfContent } from '../../core/content-draft.ts'
import { SendSheet, undoSeconds } from './SendSheet.tsx'
import type { Campaign, Reading } from './useSend.ts'

type Props = { appId: string; campaign: Campaign; experiment: NonNullable<Campaign['experiment']>; reading: Reading; onDone: () => void }

/**
 * Shows the rates of each variant with their intervals, a warning when the variants did not get the shares of their weights, the conclusion, and the
 * buttons that send the winner.
 */
export function ExperimentResults({ appId, campaign, experiment, reading, onDone }: Props) {
  const { metric = 'opened' } = useSearch({ from: '/apps/$appId/campaigns/$campaignId' })
  const navigate = useNavigate()
  const compare = (by: Metric) =>
    void navigate({
      to: '/apps/$appId/campaigns/$campaignId',
      params: { appId, campaignId: campaign.id },
      search: { metric: by },
      resetScroll: false,
    })
  const { variants, ratio, conclusion } = readExperiment(experiment.variants, reading.stats.variants, metric)
  const over = isOver(reading.status)
  const hasRemainder = experiment.sampleRate < 1
  const { winner } = campaign
  return (
    <Card
      title="Experiment"
      actions={
        <Tabs
          label="What is compared"
          value={metric}
          onChange={compare}
          items={[
            { value: 'opened', label: 'Opens' },
            { value: 'clicked', label: 'Clicks' },
          ]}
        />
      }
    >
      <div className="grid grid-cols-1 gap-3">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <Status kind={winner || conclusion.kind === 'better' ? 'good' : 'off'}>
            {winner ? 'Winner picked' : conclusion.kind === 'better' ? 'Decided' : 'Open'}
          </Status>
          <span>{conclusionSentence(conclusion, metric)}</span>
        </p>
        {winner && (
          <p>
            <strong>{winner.by ?? 'A secret key of the app'}</strong> picked{' '}
            <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: winner.campaignId }}>
              {experiment.variants.find(({ id }) => id === winner.variant)?.name ?? winner.variant}
            </TextLink>{' '}
            for everybody outside the sample, <Time at={winner.at} />
          </p>
        )}
        {!ratio.ok && (
          <Banner kind="warning">
            The variants did not get the shares of their weights (chance of such a split:{' '}
            {ratio.p < 0.0001 ? 'below 0.01 %' : `${(ratio.p * 100).toFixed(2)} %`}). Do not trust the comparison before you know why.
            People with many devices can make a split uneven, since all their devices get one variant.
          </Banner>
        )}
        <Table<VariantReading>
          caption="Variants"
          rows={variants}
          rowKey={({ id }) => id}
          columns={[
            { key: 'name', label: 'Variant', cell: ({ id, name }) => (name === id ? name : `${name} (${id})`) },
            { key: 'assigned', label: 'Assigned', align: 'right', cell: ({ assigned }) => countText(assigned) },
            { key: 'sent', label: 'Sent', align: 'right', cell: ({ sent }) => countText(sent) },
            { key: 'events', label: metric === 'opened' ? 'Opened' : 'Clicked', align: 'right', cell: ({ events }) => countText(events) },
            { key: 'share', label: 'Of sent', align: 'right', cell: shareOf },
            { key: 'interval', label: '95 % interval', align: 'right', cell: intervalOf },
            ...(over && hasRemainder && !winner
              ? [
                  {
                    key: 'winner',
                    label: 'Winner',
                    cell: (variant: VariantReading) => (
                      <WinnerButton
                        appId={appId}
                        campaignId={campaign.id}
                        variant={variant}
                        experiment={experiment}
                        isLeading={conclusion.kind === 'better' && conclusion.best.id === variant.id}
                        onDone={onDone}
                      />
                    ),
                  },
                ]
              : []),
          ]}
        />
        <p className="text-muted">
          Shares are of sent pushes, by device. Intervals are Wilson’s; a difference counts when its own interval leaves out 0
          {variants.length > 2 && ' for every pair at once'}. Look again when reports have stopped coming: whoever looks often sees chance
          more often.{' '}
          {winner ? '' : hasRemainder ? winnerHint(over) : 'The sample is everybody, so there is nobody left to send a winner to.'}
        </p>
      </div>
    </Card>
  )
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const shareOf = ({ share }: VariantReading) => (share === null ? '–' : percent(share))
const intervalOf = ({ sent, interval: { low, high } }: VariantReading) => (sent === 0 ? '–' : `${percent(low)} to ${percent(high)}`)
const winnerHint = (over: boolean) =>
  over ? 'The winner goes to everybody who was held out.' : 'A winner can be picked when the last push of the sample has an outcome.'

type Experiment = NonNullable<Campaign['experiment']>
type WinnerProps = {
  appId: string
  campaignId: string
  experiment: Experiment
  variant: VariantReading
  isLeading: boolean
  onDone: () => void
}

/** A button that sends a variant to the devices outside the sample. Before it sends, it says how many devices these are. */
function WinnerButton({ appId, campaignId, experiment, variant, isLeading, onDone }: WinnerProps) {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const pick = api.useMutation('post', '/v1/admin/apps/{appId}/campaigns/{id}/experiment/winner')
  const send = async () => {
    const { id } = await pick.mutateAsync({
      params: { path: { appId, id: campaignId } },
      body: { variant: variant.id, delaySeconds: undoSeconds },
    })
    onDone()
    await navigate({ to: '/apps/$appId/campaigns/$campaignId', params: { appId, campaignId: id } })
  }
  return (
    <>
      <Button needed="send" small variant={isLeading ? 'primary' : 'secondary'} onClick={() => setOpen(true)}>
        Send {variant.name} to the rest
      </Button>
      {open && (
        <WinnerSheet
          {...{ appId, campaignId }}
          sampleRate={experiment.sampleRate}
          content={experiment.variants.find(({ id }) => id === variant.id)?.content}
          name={variant.name}
          onClose={() => setOpen(false)}
          onConfirm={send}
        />
      )}
    </>
  )
}

/** Asks to confirm the send of a winner. A dry run counts the devices that it goes to. */
function WinnerSheet({
  appId,
  campaignId,
  name,
  sampleRate,
  content,
  onClose,
  onConfirm,
}: {
  appId: string
  campaignId: string
  name: string
  sampleRate: number
  content: Experiment['variants'][number]['content'] | undefined
  onClose: () => void
  onConfirm: () => Promise<unknown>
}) {
  const { data, error } = api.useQuery(
    'post',
    '/v1/admin/apps/{appId}/dry-run',
    { params: { path: { appId } }, body: { campaignId, samples: { random: 1 } } },
    { staleTime: 60_000, retry: false },
  )
  const draft = content && draftOfContent(content)
  const entry = draft?.entries.find(({ locale }) => locale === draft.fallback)?.entry
  return (
    <SendSheet
      open
      onClose={onClose}
      title={`Send ${name} to the rest?`}
      action="Send"
      audience={describeAudience({ kind: 'remainder', of: campaignId, sampleRate })}
      devices={data?.experiment?.remainder ?? (data || error ? 'unknown' : 'counting')}
      when="Now"
      locales={draft?.entries.map(({ locale }) => locale) ?? []}
      text={entry ?? null}
      onConfirm={onConfirm}
    >
      <p className="mt-3 text-muted">
        {error ? 'The devices cannot be counted at present. ' : ''}An experiment has one winner. After it has gone out no other can be
        picked.
      </p>
    </SendSheet>
  )
}
