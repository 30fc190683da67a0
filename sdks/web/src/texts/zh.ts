import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: '要接收通知吗？',
  text: '有与您相关的消息时我们会通知您。您可以随时关闭。',
  yes: '好的',
  no: '以后再说',
  bell: '通知',
  on: '通知已开启。',
  off: '通知已关闭。',
  turnOn: '开启',
  turnOff: '关闭',
  blocked: '通知已被屏蔽。请点击地址前的图标，然后允许通知。',
  home: '轻点“共享”，再选“添加到主屏幕”，然后从那里打开本站。',
  install: '安装应用',
}
