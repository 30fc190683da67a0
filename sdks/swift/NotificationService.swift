// A whole notification service extension: it loads the picture of a push, adds its buttons, and reports it as delivered. It needs Herald.swift in its target, and in
// its Info.plist the texts HeraldBaseUrl, HeraldAppKey and, for an app group, HeraldGroup.
import Foundation
import UserNotifications

class NotificationService: UNNotificationServiceExtension {
  override func didReceive(_ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void) {
    func setting(_ name: String) -> String? { Bundle.main.object(forInfoDictionaryKey: name) as? String }
    guard let address = setting("HeraldBaseUrl"), let baseUrl = URL(string: address), let appKey = setting("HeraldAppKey") else {
      return contentHandler(request.content)
    }
    let herald = Herald(baseUrl: baseUrl, appKey: appKey, group: setting("HeraldGroup"))
    Task {
      let content = await herald.buttons(for: await herald.picture(for: request.content))
      contentHandler(content)
      await herald.delivered(request.content.userInfo)
    }
  }
}
