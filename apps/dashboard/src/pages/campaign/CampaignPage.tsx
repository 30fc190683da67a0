import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { isOver } from '../../core/progress.ts'
import { nameOfSend } from '../../core/send-name.ts'
import { useApp, useAppId } from '../../session/useAppId.ts'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { Approval } from './Approval.tsx'
import { CampaignTrail } from './CampaignTrail.tsx'
import { Equation } from './Equation.tsx'
import { Headline } from './Headline.tsx'
import { Platforms } from './Platforms.tsx'
import { Reports } from './Reports.tsx'
import { SendActions } from './SendActions.tsx'
import { SendState } from './SendState.tsx'
import { Undo } from './Undo.tsx'
import { useBreakdown, useSend, waitsForUndo, type Campaign, type Reading } from './useSend.ts'

// Most campaigns are neither an experiment nor a recurrence and have no conversions and one wave, and the preview and the content stand beside and
// below what is read first, so their code is loaded later.
const ExperimentResults = lazy(async () => ({ default: (await import('./ExperimentResults.tsx')).ExperimentResults }))
const Conversions = lazy(async () => ({ default: (await import('./Conversions.tsx')).Conversions }))
const CampaignUplift = lazy(async () => ({ default: (await import('./CampaignUplift.tsx')).CampaignUplift }))
const Codes = lazy(async () => ({ default: (await import('./Codes.tsx')).Codes }))
const Waves = lazy(async () => ({ default: (await import('./Waves.tsx')).Waves }))
const Occurrences = lazy(async () => ({ default: (await import('./Occurrences.tsx')).Occurrences }))
const ContentAsSent = lazy(async () => ({ default: (await import('./ContentAsSent.tsx')).ContentAsSent }))
const Phone = lazy(async () => ({ default: (await import('./Phone.tsx')).Phone }))
const Runs = lazy(async () => ({ default: (await import('./Runs.tsx')).Runs }))

/** The control room of a campaign: how far the send is, how its pushes ended, what failed and what to do, and what devices reported. */
export function CampaignPage() {
  const appId = useAppId()
  const { campaignId = '' } = useParams({ strict: false })
  const send = useSend(appId, campaignId)
  const { campaign, reading } = send
  const breakdown = useBreakdown(appId, campaignId, reading)
  const text = campaign ? textOf(campaign) : null
  const hasConversions = Object.keys(reading?.stats.conversions ?? {}).length > 0
  const { data: app } = useApp()
  // Notifications and silent sends reach the hold-out too.
  const isHeldOut =
    app?.settings.holdout != null && campaign?.transactional === false && !campaign.silent && campaign.bypass.holdout !== true
  const hasPushes = reading !== undefined && reading.stats.queued > 0

  return (
    <Page
      title={campaign ? nameOfSend(campaign) : 'Campaign'}
      guide="campaigns"
      actions={campaign && reading && <SendActions appId={appId} campaign={campaign} reading={reading} onDone={send.readAllAgain} />}
    >
      <Loaded query={send.query} atOnce>
        {(loaded: Campaign) =>
          reading && (
            <div className="grid grid-cols-1 items-start gap-8 min-[1100px]:grid-cols-[minmax(0,1fr)_21rem]">
              <div className="grid min-w-0 grid-cols-1 gap-8">
                {loaded.approval !== null && <Approval appId={appId} campaignId={campaignId} approval={loaded.approval} />}
                {waitsForUndo(loaded) && <Undo appId={appId} campaign={loaded} onDone={send.readAllAgain} />}
                <SendState appId={appId} campaign={loaded} reading={reading} stream={send.stream} onDone={send.readAllAgain} />
                {reading.stats.sent > 0 && !loaded.silent && loaded.activity === undefined && !isRecurrence(loaded) && (
                  <Headline appId={appId} campaign={loaded} reading={reading} />
                )}
                {isRecurrence(loaded) ? (
                  <Suspense>
                    {(reading.status === 'active' || reading.status === 'paused') && <Occurrences appId={appId} campaignId={campaignId} />}
                    <Runs appId={appId} campaignId={campaignId} />
                  </Suspense>
                ) : (
                  <>
                    {!hasNotBegun(reading) && <Equation appId={appId} campaignId={campaignId} reading={reading} />}
                    {hasPushes && (
                      <>
                        <Platforms appId={appId} campaign={loaded} reading={reading} samples={send.samples} breakdown={breakdown} />
                        {reading.stats.failed + reading.stats.skipped > 0 && (
                          <Suspense>
                            <Codes appId={appId} campaignId={campaignId} reading={reading} breakdown={breakdown} />
                          </Suspense>
                        )}
                        {loaded.activity === undefined && (
                          <Reports appId={appId} campaign={loaded} reading={reading} breakdown={breakdown} />
                        )}
                      </>
                    )}
                    {hasConversions && (
                      <Suspense>
                        <Conversions campaign={loaded} reading={reading} />
                        {isHeldOut && <CampaignUplift appId={appId} campaign={loaded} reading={reading} />}
                      </Suspense>
                    )}
                    {loaded.experiment && (
                      <Suspense>
                        <ExperimentResults
                          appId={appId}
                          campaign={loaded}
                          experiment={loaded.experiment}
                          reading={reading}
                          onDone={send.readAllAgain}
                        />
                      </Suspense>
                    )}
                    {(hasPushes || !isOver(reading.status)) && (
                      <Suspense>
                        <Waves appId={appId} campaignId={campaignId} isFollowed={!isOver(reading.status)} />
                      </Suspense>
                    )}
                  </>
                )}
                <Suspense>
                  <ContentAsSent appId={appId} campaign={loaded} />
                </Suspense>
                <CampaignTrail appId={appId} campaignId={campaignId} />
              </div>
              {text !== null && (
                <div className="min-w-0 min-[1100px]:sticky min-[1100px]:top-5">
                  <Suspense>
                    <Phone content={text} />
                  </Suspense>
                </div>
              )}
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}

/** The text to preview: that of the first variant, when the campaign is an experiment. */
const textOf = ({ content, experiment }: Campaign) => experiment?.variants[0]?.content ?? content
const hasNotBegun = ({ status, stats }: Reading) => stats.queued === 0 && (status === 'draft' || status === 'scheduled')
const isRecurrence = ({ schedule, recurringOf }: Campaign) => schedule?.type === 'recurring' && recurringOf === null
