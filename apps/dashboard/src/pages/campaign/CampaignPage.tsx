import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function CampaignPage() {
  return <Page title="Campaign">Not made yet.</Page>
}
