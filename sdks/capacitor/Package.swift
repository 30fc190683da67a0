// swift-tools-version: 5.9
import PackageDescription

let package = Package(
  name: "HeraldCapacitor",
  platforms: [.iOS(.v15)],
  products: [.library(name: "HeraldCapacitor", targets: ["HeraldPlugin"])],
  dependencies: [.package(url: "https://github.com/ionic-team/capacitor-swift-pm.git", "7.0.0"..<"9.0.0")],
  targets: [
    .target(
      name: "HeraldPlugin",
      dependencies: [.product(name: "Capacitor", package: "capacitor-swift-pm"), .product(name: "Cordova", package: "capacitor-swift-pm")],
      path: "ios/Sources/HeraldPlugin")
  ]
)
