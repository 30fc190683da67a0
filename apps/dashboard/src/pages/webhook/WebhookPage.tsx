import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function WebhookPage() {
  return <Page title="Webhook">Not made yet.</Page>
}
