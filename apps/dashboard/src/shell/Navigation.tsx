import { Link } from '@tanstack/react-router'
import {
  CircleQuestionMark,
  CircleUser,
  FileText,
  Funnel,
  History,
  Inbox,
  KeyRound,
  LayoutDashboard,
  LayoutGrid,
  Megaphone,
  PenLine,
  RadioTower,
  Rocket,
  ScrollText,
  Settings,
  Tags,
  TrendingUp,
  Webhook,
} from 'lucide-react'
import { useMay } from '../session/May.tsx'

/** The pages of an app in the order of the navigation, in groups. `needed`: without this scope a page would show nothing. */
export const appPages = [
  [
    { to: '/apps/$appId/overview', label: 'Overview', Icon: LayoutDashboard, needed: 'read' },
    { to: '/apps/$appId/compose', label: 'Compose', Icon: PenLine, needed: 'send' },
    { to: '/apps/$appId/campaigns', label: 'Campaigns', Icon: Megaphone, needed: 'read' },
    { to: '/apps/$appId/impact', label: 'Impact', Icon: TrendingUp, needed: 'read' },
  ],
  [
    { to: '/apps/$appId/people', label: 'People', Icon: CircleUser, needed: 'people' },
    { to: '/apps/$appId/segments', label: 'Segments', Icon: Funnel, needed: 'read' },
    { to: '/apps/$appId/templates', label: 'Templates', Icon: FileText, needed: 'read' },
    { to: '/apps/$appId/categories', label: 'Categories', Icon: Tags, needed: 'read' },
  ],
  [
    { to: '/apps/$appId/log', label: 'Log', Icon: ScrollText, needed: 'people' },
    { to: '/apps/$appId/explain', label: 'Delivery check', Icon: CircleQuestionMark, needed: 'people' },
  ],
  [
    { to: '/apps/$appId/providers', label: 'Providers', Icon: RadioTower, needed: 'read' },
    { to: '/apps/$appId/keys', label: 'Keys', Icon: KeyRound, needed: 'read' },
    { to: '/apps/$appId/webhooks', label: 'Webhooks', Icon: Webhook, needed: 'read' },
    { to: '/apps/$appId/settings', label: 'Settings', Icon: Settings, needed: 'read' },
    { to: '/apps/$appId/audit', label: 'Audit log', Icon: History, needed: 'people' },
  ],
] as const

/** The page that shows the pushes to virtual devices. The navigation contains this page when Herald runs with a simulator. */
export const inboxPage = { to: '/apps/$appId/inbox', label: 'Virtual devices', Icon: Inbox, needed: 'platform' } as const
/** The page of the first steps. The navigation contains this page while the app counts as new (`isNewApp`). */
export const startPage = { to: '/apps/$appId/start', label: 'Get started', Icon: Rocket, needed: 'platform' } as const

const look =
  'flex min-h-8 items-center gap-2.5 rounded-md px-2.5 text-muted hover:bg-hover hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:font-medium data-[status=active]:text-accent'

/** Shows links to the pages of an app, or to the list of apps on a page that belongs to no app. */
export function Navigation({ appId, isSimulated, isNew }: { appId: string | undefined; isSimulated: boolean; isNew: boolean }) {
  const may = useMay()
  if (appId === undefined)
    return (
      <ul>
        <li>
          <Link to="/" activeOptions={{ exact: true }} className={look}>
            <LayoutGrid size={16} aria-hidden />
            Apps
          </Link>
        </li>
      </ul>
    )
  const groups = [...(isNew ? [[startPage]] : []), ...appPages, ...(isSimulated ? [[inboxPage]] : [])]
    .map((group) => group.filter(({ needed }) => may(needed)))
    .filter((group) => group.length > 0)
  return groups.map((group, index) => (
    <ul key={index} className="flex flex-col gap-0.5 border-b border-line pb-3 last:border-0">
      {group.map(({ to, label, Icon }) => (
        <li key={to}>
          <Link to={to} params={{ appId }} activeOptions={{ includeSearch: false }} className={look}>
            <Icon size={16} className="shrink-0" aria-hidden />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  ))
}
