import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function CampaignsPage() {
  return <Page title="Campaigns">Not made yet.</Page>
}
