import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function InboxPage() {
  return <Page title="Inbox">Not made yet.</Page>
}
