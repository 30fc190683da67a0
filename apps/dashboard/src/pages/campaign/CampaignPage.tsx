import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { isOver } from '../../core/progress.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { CampaignTrail } from './CampaignTrail.tsx'
import { Codes } from './Codes.tsx'
import { ContentAsSent } from './ContentAsSent.tsx'
import { Equation } from './Equation.tsx'
import { Platforms } from './Platforms.tsx'
import { Reports } from './Reports.tsx'
import { SendActions } from './SendActions.tsx'
import { SendState } from './SendState.tsx'
import { useBreakdown, useSend, type Campaign, type Reading } from './useSend.ts'
import { Waves } from './Waves.tsx'

// Most campaigns are neither an experiment nor a recurrence, so the code for these two is loaded only when it is needed.
const ExperimentResults = lazy(async () => ({ default: (await import('./ExperimentResults.tsx')).ExperimentResults }))
const Runs = lazy(async () => ({ default: (await import('./Runs.tsx')).Runs }))

/** The control room of a campaign: how far the send is, how its pushes ended, what failed and what to do, and what devices reported. */
export function CampaignPage() {
  const appId = useAppId()
  const { campaignId = '' } = useParams({ strict: false })
  const send = useSend(appId, campaignId)
  const { campaign, reading } = send
  const breakdown = useBreakdown(appId, campaignId, reading)
  const hasPushes = reading !== undefined && reading.stats.queued > 0

  return (
    <Page
      title={campaign?.name ?? 'Campaign'}
      guide="campaigns"
      actions={campaign && reading && <SendActions appId={appId} campaign={campaign} reading={reading} onDone={send.readAllAgain} />}
    >
      <Loaded query={send.query} atOnce>
        {(loaded: Campaign) =>
          reading && (
            <div className="grid grid-cols-1 gap-4">
              <SendState appId={appId} campaign={loaded} reading={reading} stream={send.stream} />
              {isRecurrence(loaded) ? (
                <Suspense>
                  <Runs appId={appId} campaignId={campaignId} />
                </Suspense>
              ) : (
                <>
                  {!hasNotBegun(reading) && <Equation appId={appId} campaignId={campaignId} reading={reading} />}
                  {hasPushes && (
                    <>
                      <Platforms appId={appId} campaign={loaded} reading={reading} samples={send.samples} breakdown={breakdown} />
                      <Codes appId={appId} campaignId={campaignId} reading={reading} breakdown={breakdown} />
                      <Reports appId={appId} campaign={loaded} reading={reading} breakdown={breakdown} />
                    </>
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
                    <Waves appId={appId} campaignId={campaignId} isFollowed={!isOver(reading.status)} />
                  )}
                </>
              )}
              <ContentAsSent appId={appId} campaign={loaded} />
              <CampaignTrail appId={appId} campaignId={campaignId} />
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}

const hasNotBegun = ({ status, stats }: Reading) => stats.queued === 0 && (status === 'draft' || status === 'scheduled')
const isRecurrence = ({ schedule, recurringOf }: Campaign) => schedule?.type === 'recurring' && recurringOf === null
