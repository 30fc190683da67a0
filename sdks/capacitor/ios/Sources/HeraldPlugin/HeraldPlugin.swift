import Capacitor
import Foundation

/// Herald for Capacitor (https://capacitorjs.com/docs/plugins/ios). The app delegate must hand on Apple's answers about the address, as Capacitor's own
/// template for pushes does.
@objc(HeraldPlugin)
public class HeraldPlugin: CAPPlugin, CAPBridgedPlugin {
  public let identifier = "HeraldPlugin"
  public let jsName = "Herald"
  public let pluginMethods: [CAPPluginMethod] = [CAPPluginMethod(name: "call", returnType: CAPPluginReturnPromise)]
  private var observers: [NSObjectProtocol] = []

  override public func load() {
    let registered = NotificationCenter.default.addObserver(forName: .capacitorDidRegisterForRemoteNotifications, object: nil, queue: .main) { told in
      guard let address = told.object as? Data else { return }
      Task { @MainActor in HeraldPushes.shared.registered(address) }
    }
    let failed = NotificationCenter.default.addObserver(forName: .capacitorDidFailToRegisterForRemoteNotifications, object: nil, queue: .main) { told in
      guard let error = told.object as? Error else { return }
      Task { @MainActor in HeraldPushes.shared.failed(error) }
    }
    observers = [registered, failed]
    Task { @MainActor in HeraldPushes.shared.begin() }
  }

  deinit {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
  }

  @objc func call(_ call: CAPPluginCall) {
    let name = call.getString("name") ?? ""
    let given = call.getObject("given") ?? [:]
    Task { @MainActor in
      if name == "listen" {
        HeraldPushes.shared.listen { [weak self] event, about in
          self?.notifyListeners("event", data: ["name": event, "event": about], retainUntilConsumed: true)
        }
        return call.resolve()
      }
      HeraldPushes.shared.call(name, given: given) { answer, code, message, status in
        if let code { call.reject(message ?? code, code, nil, ["status": status]) } else { call.resolve(["answer": answer ?? NSNull()]) }
      }
    }
  }
}
