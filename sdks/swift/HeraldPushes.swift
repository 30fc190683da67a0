// The iOS side of Herald for React Native, Capacitor and Flutter: each function of Herald by its name, and what happens to notifications as events. It
// needs Herald.swift and nothing else.
import Foundation
import UIKit
import UserNotifications

/// Herald in an iOS app. `begin` belongs into the app's launch, so that no tap is missed.
@MainActor
@objc public final class HeraldPushes: NSObject {
  @objc public static let shared = HeraldPushes()

  private var herald: Herald?
  private weak var former: UNUserNotificationCenterDelegate?
  private var listener: ((String, [String: Any]) -> Void)?
  private var events: [(name: String, event: [String: Any])] = []
  private var addresses: [CheckedContinuation<Data, Error>] = []
  private var tokens: [String: CheckedContinuation<String?, Error>] = [:]
  private var isAsked = false

  /// Takes the taps on notifications. Those of other senders go on to the delegate that was there before. Until `start` is called, reports use the
  /// address and the key of the last start.
  @objc public func begin() {
    if herald == nil, let last = UserDefaults.standard.dictionary(forKey: "herald.start") { herald = try? made(last) }
    let center = UNUserNotificationCenter.current()
    if center.delegate === self { return }
    former = center.delegate
    center.delegate = self
  }

  /// Gets each event from now on, and first those that came while nobody listened. Nil ends it.
  @objc public func listen(_ listener: ((String, [String: Any]) -> Void)?) {
    self.listener = listener
    guard let listener else { return }
    let waiting = events
    events = []
    for (name, event) in waiting { listener(name, event) }
  }

  /// Tells what a push did: `push`, `tap` or `identityToken`. At most the 20 newest events wait for a listener.
  private func emit(_ name: String, _ event: [String: Any]) {
    if let listener { return listener(name, event) }
    events = (events + [(name, event)]).suffix(20)
  }

  /// The app delegate's `didRegisterForRemoteNotificationsWithDeviceToken`.
  @objc public func registered(_ address: Data) {
    let waiting = addresses
    addresses = []
    for each in waiting { each.resume(returning: address) }
    if waiting.isEmpty && isAsked { Task { try? await herald?.register(token: address, language: Self.language, timezone: TimeZone.current.identifier) } }
  }

  /// The app delegate's `didFailToRegisterForRemoteNotificationsWithError`.
  @objc public func failed(_ error: Error) {
    let waiting = addresses
    addresses = []
    for each in waiting { each.resume(throwing: HeraldError(status: 0, code: "no_address", message: "Apple gives no address of this phone")) }
  }

  /// The app delegate's `didReceiveRemoteNotification`. `done` gets true when the push was a recall, which removes a notification; false for any other push.
  @objc public func received(_ userInfo: [AnyHashable: Any], done: @escaping (Bool) -> Void) {
    Task { done(await herald?.dismissed(by: userInfo) ?? false) }
  }

  /// Calls a function of Herald. `done` gets the answer, or the code, the sentence and the HTTP status of an error.
  @objc public nonisolated func call(_ name: String, given: [String: Any], done: @escaping (Any?, String?, String?, Int) -> Void) {
    Task { @MainActor in
      do {
        done(try await self.answer(name, given), nil, nil, 0)
      } catch let refused as HeraldError {
        done(nil, refused.code, refused.message, refused.status)
      } catch {
        done(nil, "not_stored", "What was asked for cannot be done on this device", 0)
      }
    }
  }

  private func answer(_ name: String, _ given: [String: Any]) async throws -> Any? {
    switch name {
    case "start": return try start(given)
    case "identityToken":
      let token = given["token"] as? String
      tokens.removeValue(forKey: given["id"] as? String ?? "")?.resume(returning: token?.isEmpty == false ? token : nil)
      return nil
    case "requestPermission": return try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound, .badge])
    default: break
    }
    guard let herald else { throw HeraldError(status: 0, code: "not_started", message: "Call start with the address and the key of Herald first") }
    switch name {
    case "register": return try await register(herald)
    case "subscriptionId": return await herald.subscriptionId
    case "foreground": try await herald.foreground()
    case "login": try await herald.login(try text(given, "externalId"))
    case "logout": try await herald.logout()
    case "setTags": try await herald.setTags(given["tags"] as? [String: Any] ?? [:])
    case "setUser":
      try await herald.setUser(language: given["language"] as? String, timezone: given["timezone"] as? String, country: given["country"] as? String)
    case "trackConversion":
      let value = (given["value"] as? NSNumber)?.decimalValue
      try await herald.trackConversion(
        id: try text(given, "id"), name: try text(given, "name"), value: value, currency: given["currency"] as? String,
        msgId: given["msgId"] as? String)
    case "categories":
      return try await herald.categories().map { one in
        ["id": one.id, "name": one.name, "description": one.description as Any? ?? NSNull(), "subscribed": one.subscribed, "locked": one.locked]
          as [String: Any]
      }
    case "setCategories":
      let choices = given["choices"] as? [String: Any] ?? [:]
      try await herald.setCategories(choices.mapValues { $0 as? Bool })
    case "leaveCategory": await herald.leaveCategory(["herald": ["msgId": try text(given, "msgId")]])
    case "setBadge":
      guard let badge = given["badge"] as? Int else { throw HeraldError(status: 0, code: "invalid_argument", message: "badge is missing") }
      try await herald.setBadge(badge)
    case "optOut": try await herald.optOut()
    case "optIn": try await herald.optIn()
    case "unregister":
      isAsked = false
      try await herald.unregister()
    case "delivered": await herald.delivered(["herald": ["msgId": try text(given, "msgId")]])
    case "opened": await herald.handle(["herald": ["msgId": try text(given, "msgId")]], action: UNNotificationDefaultActionIdentifier)
    case "clicked": await herald.handle(try clicked(given), action: given["action"] as? String ?? UNNotificationDefaultActionIdentifier)
    case "dismissed": await herald.handle(["herald": ["msgId": try text(given, "msgId")]], action: UNNotificationDismissActionIdentifier)
    default: throw HeraldError(status: 0, code: "invalid_argument", message: "Herald has no function \(name)")
    }
    return nil
  }

  private func start(_ given: [String: Any]) throws -> Any? {
    herald = try made(given)
    var kept: [String: Any] = [:]
    for name in ["baseUrl", "appKey", "group"] { kept[name] = given[name] as? String }
    UserDefaults.standard.set(kept, forKey: "herald.start")
    return nil
  }

  private func made(_ given: [String: Any]) throws -> Herald {
    let baseUrl = try text(given, "baseUrl")
    let appKey = try text(given, "appKey")
    guard let url = URL(string: baseUrl), appKey.hasPrefix("pk_") else {
      throw HeraldError(status: 0, code: "invalid_argument", message: "baseUrl must be an address and appKey a public key, pk_live_…")
    }
    let verifies = given["verifiesIdentity"] as? Bool ?? false
    let ask: @Sendable (String) async throws -> String? = { externalId in try await HeraldPushes.shared.identityToken(externalId) }
    return Herald(baseUrl: url, appKey: appKey, group: given["group"] as? String, identityToken: verifies ? ask : nil)
  }

  /// Asks Apple for the address of this phone and registers it.
  private func register(_ herald: Herald) async throws -> String? {
    isAsked = true
    let address = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, Error>) in
      addresses.append(continuation)
      UIApplication.shared.registerForRemoteNotifications()
    }
    try await herald.register(token: address, language: Self.language, timezone: TimeZone.current.identifier)
    return await herald.subscriptionId
  }

  private static var language: String? { Locale.preferredLanguages.first }

  /// Asks the listener for a token and waits for it, for at most 10 s; the login waits when there is no answer.
  private func identityToken(_ externalId: String) async throws -> String? {
    let id = UUID().uuidString
    Task {
      try await Task.sleep(nanoseconds: 10_000_000_000)
      tokens.removeValue(forKey: id)?.resume(throwing: HeraldError(status: 0, code: "identity_token_failed", message: "There was no answer"))
    }
    return try await withCheckedThrowingContinuation { continuation in
      tokens[id] = continuation
      emit("identityToken", ["id": id, "externalId": externalId])
    }
  }

  private func text(_ given: [String: Any], _ name: String) throws -> String {
    guard let text = given[name] as? String, !text.isEmpty else {
      throw HeraldError(status: 0, code: "invalid_argument", message: "\(name) must be a text")
    }
    return text
  }

  /// A push as `Herald.handle` reads it, with a link, so that the click is reported.
  private func clicked(_ given: [String: Any]) throws -> [AnyHashable: Any] {
    ["herald": ["msgId": try text(given, "msgId"), "url": "about:blank"] as [String: Any]]
  }

  private nonisolated static func isOurs(_ content: UNNotificationContent) -> Bool {
    (content.userInfo["herald"] as? [String: Any])?["msgId"] is String
  }

  /// The data of a push: what stands beside `aps` and `herald`.
  private static func data(_ userInfo: [AnyHashable: Any]) -> [String: Any] {
    var data: [String: Any] = [:]
    for (name, value) in userInfo {
      if let name = name as? String, name != "aps", name != "herald" { data[name] = value }
    }
    return data
  }
}

extension HeraldPushes: UNUserNotificationCenterDelegate {
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
  ) {
    let content = notification.request.content
    guard Self.isOurs(content) else {
      if former?.userNotificationCenter?(center, willPresent: notification, withCompletionHandler: completionHandler) == nil { completionHandler([]) }
      return
    }
    completionHandler([.banner, .list, .sound, .badge])
    let link = (content.userInfo["herald"] as? [String: Any])?["url"] as? String
    emit("push", ["title": content.title, "body": content.body, "url": link as Any? ?? NSNull(), "data": Self.data(content.userInfo)])
    Task { await herald?.delivered(content.userInfo) }
  }

  public func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse, withCompletionHandler completionHandler: @escaping () -> Void
  ) {
    let content = response.notification.request.content
    guard Self.isOurs(content) else {
      if former?.userNotificationCenter?(center, didReceive: response, withCompletionHandler: completionHandler) == nil { completionHandler() }
      return
    }
    Task {
      let action = response.actionIdentifier
      let isBody = action == UNNotificationDefaultActionIdentifier
      let link = await herald?.handle(content.userInfo, action: action)
      if action != UNNotificationDismissActionIdentifier {
        let event: [String: Any?] = ["url": link?.absoluteString, "action": isBody ? nil : action]
        emit("tap", event.mapValues { $0 ?? NSNull() }.merging(["data": Self.data(content.userInfo)]) { _, new in new })
      }
      completionHandler()
    }
  }
}
