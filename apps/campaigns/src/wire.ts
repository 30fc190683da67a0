import * as calls from '@herald/contracts/calls/campaigns'
import type { Bus } from '@herald/service/bus'
import type { Campaigns } from './campaigns.ts'
import { cancelCampaign, endCampaign, pauseCampaign, resumeCampaign, unsendCampaign } from './change-flow.ts'
import { changeRate } from './change-rate.ts'
import { createCampaign, replaceCampaign } from './create-campaign.ts'
import { eraseApp } from './erase-app.ts'
import { explainCampaign } from './explain-campaign.ts'
import { listOccurrences } from './list-occurrences.ts'
import { listRuns } from './list-runs.ts'
import { deleteCampaign, duplicateCampaign, getCampaign, listCampaigns, readCampaign } from './manage-campaign.ts'
import { createCategory, deleteCategory, findLeavable, listCategories, replaceCategory } from './manage-category.ts'
import { createTemplate, deleteTemplate, listTemplates, readTemplate, replaceTemplate } from './manage-template.ts'
import { readInboxSends } from './read-inbox-sends.ts'
import { noteFailedStart } from './note-failed-start.ts'
import { pickWinner } from './pick-winner.ts'
import { readSend } from './read-send.ts'
import { failCampaign } from './record-progress.ts'
import { recallCampaign } from './recall-campaign.ts'
import { resolveForDryRun } from './resolve-for-dry-run.ts'
import { sendCampaign } from './send-campaign.ts'
import { sendLiveActivity } from './send-live-activity.ts'
import { sendNotification } from './send-notification.ts'
import { sendTest } from './send-test.ts'
import { summarizeCampaigns } from './summarize-campaigns.ts'

/** Connects each call with the function that answers it. */
export function wireCampaigns(bus: Bus, campaigns: Campaigns): void {
  /** Makes the answer to a call that only reads. The answer uses the connections for reads, which apps use in turn. */
  const onReads =
    <Request extends { appId: string }, Answer>(
      flow: (campaigns: Campaigns, request: Request) => Promise<Answer>,
      limits: { withinMs?: number } = {},
    ) =>
    (request: Request) =>
      campaigns.reads((db) => flow({ ...campaigns, db }, request), { ...limits, appId: request.appId })

  bus.answer(calls.sendNotification, (request) => sendNotification(campaigns, request))
  bus.answer(calls.sendLiveActivity, (request) => sendLiveActivity(campaigns, request))
  bus.answer(calls.sendTest, (request) => sendTest(campaigns, request))
  bus.answer(calls.createCampaign, (request) => createCampaign(campaigns, request))
  bus.answer(calls.sendCampaign, (request) => sendCampaign(campaigns, request))
  bus.answer(calls.cancelCampaign, (request) => cancelCampaign(campaigns, request))
  bus.answer(calls.pickWinner, (request) => pickWinner(campaigns, request))
  bus.answer(calls.readCampaign, onReads(readCampaign))
  bus.answer(calls.explainCampaign, (request) => explainCampaign(campaigns, request))
  bus.answer(calls.resolveSend, onReads(resolveForDryRun, { withinMs: 12_000 }))

  bus.answer(calls.summarizeCampaigns, onReads(summarizeCampaigns))
  bus.answer(calls.listCampaigns, onReads(listCampaigns))
  bus.answer(calls.getCampaign, onReads(getCampaign))
  bus.answer(calls.listRuns, onReads(listRuns))
  bus.answer(calls.listOccurrences, onReads(listOccurrences))
  bus.answer(calls.replaceCampaign, (request) => replaceCampaign(campaigns, request))
  bus.answer(calls.deleteCampaign, (request) => deleteCampaign(campaigns, request))
  bus.answer(calls.duplicateCampaign, (request) => duplicateCampaign(campaigns, request))
  bus.answer(calls.pauseCampaign, (request) => pauseCampaign(campaigns, request))
  bus.answer(calls.resumeCampaign, (request) => resumeCampaign(campaigns, request))
  bus.answer(calls.changeRate, (request) => changeRate(campaigns, request))
  bus.answer(calls.endCampaign, (request) => endCampaign(campaigns, request))
  bus.answer(calls.recallCampaign, (request) => recallCampaign(campaigns, request))
  bus.answer(calls.unsendCampaign, (request) => unsendCampaign(campaigns, request))
  bus.answer(calls.eraseCampaignsOfApp, (request) => eraseApp(campaigns, request))

  bus.answer(calls.readSend, (request) => readSend(campaigns, request))
  bus.answer(calls.fanOutStarted, campaigns.fanOutStarted)
  bus.answer(calls.settleCampaigns, campaigns.settleCampaigns)
  bus.answer(calls.noteFailedStart, (request) => noteFailedStart(campaigns, request))
  bus.answer(calls.failCampaign, (request) => failCampaign(campaigns, request))

  bus.answer(calls.createTemplate, (request) => createTemplate(campaigns, request))
  bus.answer(calls.listTemplates, onReads(listTemplates))
  bus.answer(calls.readTemplate, onReads(readTemplate))
  bus.answer(calls.replaceTemplate, (request) => replaceTemplate(campaigns, request))
  bus.answer(calls.deleteTemplate, (request) => deleteTemplate(campaigns, request))

  bus.answer(calls.createCategory, (request) => createCategory(campaigns, request))
  bus.answer(calls.listCategories, onReads(listCategories))
  bus.answer(calls.replaceCategory, (request) => replaceCategory(campaigns, request))
  bus.answer(calls.deleteCategory, (request) => deleteCategory(campaigns, request))
  bus.answer(calls.findLeavable, onReads(findLeavable))
  bus.answer(calls.readInboxSends, onReads(readInboxSends))
}
