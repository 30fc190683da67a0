import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Bildirim almak ister misiniz?',
  text: 'Sizin için bir şey olduğunda haber veririz. İstediğiniz zaman kapatabilirsiniz.',
  yes: 'Evet, lütfen',
  no: 'Şimdi değil',
  bell: 'Bildirimler',
  on: 'Bildirimler açık.',
  off: 'Bildirimler kapalı.',
  turnOn: 'Aç',
  turnOff: 'Kapat',
  blocked: 'Bildirimler engellendi. Adresin önündeki simgeye tıklayıp bildirimlere izin verin.',
  home: 'Paylaş’a, sonra “Ana Ekrana Ekle”ye dokunun ve siteyi oradan açın.',
  install: 'Uygulamayı yükle',
}
