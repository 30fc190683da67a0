import type { LocaleEntry } from '@herald/contracts/content'
import { clsx } from 'clsx'
import { AppIcon, PictureFrame, PreviewActions } from './PreviewParts.tsx'

type Theme = 'light' | 'dark'

/** Draws a message roughly as an iPhone shows it: as a banner, and opened on the lock screen. */
export function IosPreview({ entry, app, theme }: { entry: LocaleEntry; app: string; theme: Theme }) {
  const ground = theme === 'light' ? 'bg-[#e9e9ee] text-[#111]' : 'bg-[#0c0c0e] text-[#f5f5f7]'
  const card = theme === 'light' ? 'bg-[#f9f9fbf2]' : 'bg-[#2a2a2dF2]'
  return (
    <div className={clsx('flex flex-col gap-3 rounded-xl p-3', ground)}>
      <p className="text-xs opacity-80">Banner</p>
      <div className={clsx('flex gap-2.5 rounded-2xl p-3 shadow-sm', card)}>
        <AppIcon app={app} className="size-9 rounded-lg" />
        <div className="min-w-0 flex-1 text-[13px] leading-[17px]">
          <div className="flex items-baseline justify-between gap-2">
            <p dir="auto" className="truncate font-semibold">
              {entry.title}
            </p>
            <span className="shrink-0 text-[11px] opacity-75">now</span>
          </div>
          <p dir="auto" className="line-clamp-2 break-words whitespace-pre-line">
            {entry.body}
          </p>
        </div>
        {entry.image !== undefined && (
          <PictureFrame address={entry.image} className="aspect-square! w-9! shrink-0 rounded p-0! text-[0px]" />
        )}
      </div>
      <p className="text-xs opacity-80">Lock screen, expanded</p>
      <div className={clsx('overflow-hidden rounded-2xl shadow-sm', card)}>
        <div className="flex items-center gap-2 px-3 pt-3 text-[11px] uppercase opacity-75">
          <AppIcon app={app} className="size-5 rounded" />
          <span className="min-w-0 flex-1 truncate">{app}</span>
          now
        </div>
        {entry.image !== undefined && <PictureFrame address={entry.image} className="mt-2" />}
        <div className="px-3 py-2.5 text-[13px] leading-[17px]">
          <p dir="auto" className="font-semibold break-words">
            {entry.title}
          </p>
          <p dir="auto" className="max-h-60 overflow-y-auto break-words whitespace-pre-line" tabIndex={0}>
            {entry.body}
          </p>
        </div>
      </div>
      <PreviewActions
        actions={entry.actions}
        most={4}
        where="iOS"
        className={clsx('flex flex-col divide-y divide-current/10 rounded-2xl', card)}
        each="block w-full truncate px-3 py-2.5 text-start text-[13px]"
      />
    </div>
  )
}
