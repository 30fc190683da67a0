import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: '通知を受け取りますか？',
  text: 'お知らせがあるときにお伝えします。いつでもオフにできます。',
  yes: 'はい',
  no: '今はしない',
  bell: '通知',
  on: '通知はオンです。',
  off: '通知はオフです。',
  turnOn: 'オンにする',
  turnOff: 'オフにする',
  blocked: '通知がブロックされています。アドレスの前のアイコンをクリックして許可してください。',
  home: '共有ボタンから「ホーム画面に追加」を選び、そこからサイトを開いてください。',
  install: 'アプリをインストール',
}
