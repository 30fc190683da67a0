// A program that `npm run test:mobile` runs on Linux against a real gateway, with stubs of Apple's classes. Each line of its input is a command, and it
// prints a line for each answer. With a fourth argument it calls through HeraldPushes, as React Native, Capacitor and Flutter do.
import Foundation
import UserNotifications

let given = CommandLine.arguments
let (baseUrl, appKey, directory) = (given[1], given[2], given[3])

/// The gateway's test writes what a backend would answer into these files.
@Sendable func identityToken(_ externalId: String) -> String? {
  try? String(contentsOfFile: "\(directory)/token-\(externalId)", encoding: .utf8)
}

/// The bytes of a token of hexadecimal digits.
func bytes(_ hex: String) -> Data {
  let digits = Array(hex)
  return Data(stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
}

func push(_ msgId: String, link: Bool = false) -> [AnyHashable: Any] {
  ["herald": link ? ["msgId": msgId, "url": "https://shop.example"] : ["msgId": msgId]]
}

func directly(_ herald: Herald, _ words: [String]) async throws -> String {
  let word = words.count > 1 ? words[1] : ""
  switch words[0] {
  case "register":
    let zone = words.count > 4 ? words[4] : "Europe/Berlin"
    try await herald.register(token: bytes(words[2]), language: "de", timezone: zone, appVersion: words.count > 3 ? words[3] : nil)
  case "foreground": try await herald.foreground()
  case "login": try await herald.login(word)
  case "logout": try await herald.logout()
  case "tag": try await herald.setTags([word: words.count > 2 ? words[2] as Any : NSNull()])
  case "language": try await herald.setUser(language: word)
  case "convert":
    let value = words.count > 3 ? Decimal(string: words[3]) : nil
    try await herald.trackConversion(id: word, name: words[2], value: value, currency: words.count > 4 ? words[4] : nil)
  case "leave": await herald.leaveCategory(push(word))
  case "choose": try await herald.setCategories([word: words.count > 2 ? words[2] == "true" : nil])
  case "categories":
    return try await herald.categories().map { "\($0.id),\($0.name),\($0.description ?? "null"),\($0.subscribed),\($0.locked)" }.joined(separator: ";")
  case "startToken": try await herald.setStartToken(bytes(words[2]), attributesType: word)
  case "activity": try await herald.setActivityToken(bytes(words[2]), activityId: word, attributesType: "MatchAttributes")
  case "endActivity": try await herald.endActivity(word)
  case "badge": try await herald.setBadge(Int(word) ?? 0)
  case "optOut": try await herald.optOut()
  case "optIn": try await herald.optIn()
  case "unregister": try await herald.unregister()
  case "delivered": await herald.delivered(push(word))
  case "opened": await herald.handle(push(word), action: UNNotificationDefaultActionIdentifier)
  case "clicked": await herald.handle(push(word, link: true), action: words.count > 2 ? words[2] : UNNotificationDefaultActionIdentifier)
  case "dismissed": await herald.handle(push(word), action: UNNotificationDismissActionIdentifier)
  case "id": return await herald.subscriptionId ?? "null"
  default: return "unknown command"
  }
  return "ok"
}

@MainActor
func throughPushes(_ name: String, _ about: [String: Any]) async throws -> Any? {
  try await withCheckedThrowingContinuation { continuation in
    HeraldPushes.shared.call(name, given: about) { answer, code, message, status in
      if let code { continuation.resume(throwing: HeraldError(status: status, code: code, message: message ?? "")) }
      else { continuation.resume(returning: answer) }
    }
  }
}

@MainActor
func bridged(_ words: [String]) async throws -> String {
  let word = words.count > 1 ? words[1] : ""
  switch words[0] {
  case "register":
    // Apple answers the question for the address through the app delegate.
    Task {
      try await Task.sleep(nanoseconds: 50_000_000)
      HeraldPushes.shared.registered(bytes(words[2]))
    }
    _ = try await throughPushes("register", [:])
  case "tag": _ = try await throughPushes("setTags", ["tags": [word: words.count > 2 ? words[2] as Any : NSNull()]])
  case "language": _ = try await throughPushes("setUser", ["language": word])
  case "login": _ = try await throughPushes("login", ["externalId": word])
  case "convert":
    var about: [String: Any] = ["id": word, "name": words[2]]
    if words.count > 4 { about = about.merging(["value": NSNumber(value: Double(words[3]) ?? 0), "currency": words[4]]) { _, new in new } }
    _ = try await throughPushes("trackConversion", about)
  case "badge": _ = try await throughPushes("setBadge", ["badge": Int(word) ?? 0])
  case "leave": _ = try await throughPushes("leaveCategory", ["msgId": word])
  case "choose": _ = try await throughPushes("setCategories", ["choices": [word: words.count > 2 ? words[2] == "true" : NSNull()] as [String: Any]])
  case "categories":
    let all = try await throughPushes("categories", [:]) as? [[String: Any]] ?? []
    return all.map { one in
      let described = one["description"] as? String ?? "null"
      return "\(one["id"] ?? ""),\(one["name"] ?? ""),\(described),\(one["subscribed"] ?? ""),\(one["locked"] ?? "")"
    }.joined(separator: ";")
  case "id": return try await throughPushes("subscriptionId", [:]) as? String ?? "null"
  case "receive", "extend", "tap", "close": return await phone(words)
  default:
    var about: [String: Any] = ["msgId": word]
    if words.count > 2 { about["action"] = words[2] }
    _ = try await throughPushes(words[0], about)
  }
  return "ok"
}

/// What the app got of the last tap.
@MainActor var tapped = "nothing"

/// What iOS and the user do with a push: it comes while the app is open, or to the extension, and is tapped or closed. The server is told when it is
/// shown, so that the order with the reports can be seen.
@MainActor
func phone(_ words: [String]) async -> String {
  let (msgId, center) = (words[1], UNUserNotificationCenter.current())
  func about(_ content: UNNotificationContent) {
    var herald: [String: Any] = ["msgId": msgId]
    if words.count > 3, words[3] != "-" { herald["url"] = words[3] }
    if words.count > 4, words[4] != "-" { herald["actions"] = try? JSONSerialization.jsonObject(with: Data(words[4].utf8)) }
    content.userInfo = ["herald": herald]
  }
  @Sendable func show() { _ = try? String(contentsOf: URL(string: "\(baseUrl)/shown/\(msgId)")!, encoding: .utf8) }
  switch words[0] {
  case "receive":
    let notification = UNNotification()
    about(notification.request.content)
    center.delegate?.userNotificationCenter(center, willPresent: notification) { options in if options.contains(.banner) { show() } }
    return "ok"
  case "extend":
    let request = UNNotificationRequest()
    about(request.content)
    let content = await withCheckedContinuation { shown in
      NotificationService().didReceive(request) { content in
        show()
        shown.resume(returning: content)
      }
    }
    let category = await center.notificationCategories().first { $0.identifier == content.categoryIdentifier }
    let buttons = category?.actions.map { "\($0.identifier)=\($0.title)" }.joined(separator: ",") ?? "none"
    return "\(buttons) \(category?.options.contains(.customDismissAction) ?? false)"
  default:
    let response = UNNotificationResponse()
    about(response.notification.request.content)
    response.actionIdentifier =
      words[0] == "close" ? UNNotificationDismissActionIdentifier : words[2] == "-" ? UNNotificationDefaultActionIdentifier : words[2]
    tapped = "nothing"
    await withCheckedContinuation { done in
      center.delegate?.userNotificationCenter(center, didReceive: response) { done.resume() }
    }
    return tapped
  }
}

@MainActor
func run() async {
  let isBridged = given.count > 4
  var herald: Herald?
  func start(_ address: String) async throws {
    if isBridged {
      _ = try await throughPushes("start", ["baseUrl": address, "appKey": appKey, "verifiesIdentity": true])
      HeraldPushes.shared.begin()
      HeraldPushes.shared.listen { name, event in
        if name == "tap" { tapped = "\(event["url"] as? String ?? "null") \(event["action"] as? String ?? "null")" }
        guard let id = event["id"] as? String, let externalId = event["externalId"] as? String else { return }
        HeraldPushes.shared.call("identityToken", given: ["id": id, "token": identityToken(externalId) ?? ""]) { _, _, _, _ in }
      }
    } else {
      herald = Herald(baseUrl: URL(string: address)!, appKey: appKey, identityToken: { identityToken($0) })
    }
  }
  do {
    try await start(baseUrl)
    while let line = await Task.detached(operation: { readLine() }).value {
      let words = line.split(separator: " ").map(String.init)
      var answer = "ok"
      do {
        if words[0] == "restart" { try await start(words.count > 1 ? words[1] : baseUrl) }
        else if let herald { answer = try await directly(herald, words) }
        else { answer = try await bridged(words) }
      } catch let refused as HeraldError {
        answer = "refused \(refused.status) \(refused.code)"
      }
      print(answer)
      fflush(stdout)
    }
  } catch {
    print("ended: \(error)")
  }
  exit(0)
}

Task { await run() }
RunLoop.main.run()
