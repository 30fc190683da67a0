// Generated from docs/openapi.json by `npm run docs`. Change the API's description instead.
export interface paths {
    "/v1/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a device
         * @description Registers a device or finds it again. Call it on every start of the app; a device that was opted out or invalidated is revived.
         */
        post: operations["registerSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a browser its new endpoint
         * @description The device keeps its id. Another device that already has the new endpoint is removed. 404 when the old endpoint is unknown.
         */
        post: operations["rotateSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a device
         * @description An anonymous user is deleted with the last device.
         */
        delete: operations["deleteSubscription"];
        options?: never;
        head?: never;
        /**
         * Change a device
         * @description What belongs to the device and not to its user; at least one field.
         */
        patch: operations["changeSubscription"];
        trace?: never;
    };
    "/v1/subscriptions/{id}/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that the app came to the foreground
         * @description Counts a session when the one before began 30 minutes ago or earlier. The body may be left out.
         */
        post: operations["startSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log a user in on a device
         * @description Names the anonymous user, or moves the device to the user who has this external id.
         */
        post: operations["loginSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log the user out of a device
         * @description The device goes to a new anonymous user without tags.
         */
        post: operations["logoutSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the tags and fields of the user who owns a device
         * @description Tags merge, null deletes one. The change reaches every device of the user. PATCH and POST do the same.
         */
        post: operations["changeOwnerByPost"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the tags and fields of the user who owns a device
         * @description Tags merge, null deletes one. The change reaches every device of the user. PATCH and POST do the same.
         */
        patch: operations["changeOwner"];
        trace?: never;
    };
    "/v1/users/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change up to 500 users
         * @description Each item names a user by `externalId` or `userId` and merges into them as PATCH does; an unknown external id makes a user. A wrong item leaves the others alone: read `results`, where `index` is the place in the request. The others are one transaction, and a repeat changes nothing.
         */
        post: operations["changeUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user with all devices
         * @description Tokens show their last characters only.
         */
        get: operations["readUser"];
        put?: never;
        post?: never;
        /**
         * Erase a user
         * @description Deletes the user and all devices. Past events keep ids only.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Tags merge, null deletes one; at least one field.
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/v1/users/by-external-id/{externalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user with all devices
         * @description Tokens show their last characters only.
         */
        get: operations["readUserByExternalId"];
        put?: never;
        post?: never;
        /**
         * Erase a user
         * @description Deletes the user and all devices. Past events keep ids only.
         */
        delete: operations["deleteUserByExternalId"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Tags merge, null deletes one; at least one field. An unknown external id makes a user without devices; a later login finds it.
         */
        patch: operations["changeUserByExternalId"];
        trace?: never;
    };
    "/v1/subscriptions/{id}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read which categories the owner of a device is in */
        get: operations["readPreferencesOfDevice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Let the owner of a device join or leave categories
         * @description Changes the categories that the body names: true joins, false leaves, null takes the own choice back, so that the default of the category holds. The choice holds for all devices of the person. A locked category is 422.
         */
        patch: operations["changePreferencesOfDevice"];
        trace?: never;
    };
    "/v1/users/{id}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read which categories a person is in */
        get: operations["readPreferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Let a person join or leave categories
         * @description Changes the categories that the body names: true joins, false leaves, null takes the own choice back, so that the default of the category holds. The choice holds for all devices of the person. A locked category is 422.
         */
        patch: operations["changePreferences"];
        trace?: never;
    };
    "/v1/users/by-external-id/{externalId}/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read which categories a person is in */
        get: operations["readPreferencesByExternalId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Let a person join or leave categories
         * @description Changes the categories that the body names: true joins, false leaves, null takes the own choice back, so that the default of the category holds. The choice holds for all devices of the person. A locked category is 422. An unknown external id makes a user without devices.
         */
        patch: operations["changePreferencesByExternalId"];
        trace?: never;
    };
    "/v1/conversions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report up to 500 conversions, such as orders
         * @description Each names its user by `externalId` or `userId` and is attributed to the push that led to it. An id counts once, so a repeat with the same times changes nothing. A wrong item leaves the others alone: read `results`, which are in the order of the request.
         */
        post: operations["reportConversions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/conversions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a conversion of the user who owns a device
         * @description An id counts once, so a repeat with the same time changes nothing. With a public key `value` is 422 unless the app’s setting `conversions.publicValues` allows it, because that key is in everybody’s hands.
         */
        post: operations["reportConversion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the inbox of a device’s owner
         * @description Sends with `inbox: true` of the last days (the app’s setting `inboxDays`), newest first, one item for each send: also when its push failed or was skipped because the person has switched pushes off. Texts are in the person’s language of now. With a public key an identified owner needs x-identity-token, whatever the app’s setting says.
         */
        get: operations["readInboxOfDevice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/inbox/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark items of the inbox of a device’s owner as read
         * @description `ids` names items, `all: true` means all that were sent up to `before` or now. `read: false` makes them unread again. With a public key an identified owner needs x-identity-token, whatever the app’s setting says.
         */
        post: operations["markInboxOfDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/inbox/{itemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Hide an item of the inbox of a device’s owner
         * @description The item does not come back. An unknown item changes nothing. With a public key an identified owner needs x-identity-token, whatever the app’s setting says.
         */
        delete: operations["hideInboxItemOfDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a person’s inbox
         * @description Sends with `inbox: true` of the last days (the app’s setting `inboxDays`), newest first, one item for each send: also when its push failed or was skipped because the person has switched pushes off. Texts are in the person’s language of now.
         */
        get: operations["readInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/inbox/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark items of a person’s inbox as read
         * @description `ids` names items, `all: true` means all that were sent up to `before` or now. `read: false` makes them unread again.
         */
        post: operations["markInbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/inbox/{itemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Hide an item of a person’s inbox
         * @description The item does not come back. An unknown item changes nothing.
         */
        delete: operations["hideInboxItem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/by-external-id/{externalId}/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a person’s inbox
         * @description Sends with `inbox: true` of the last days (the app’s setting `inboxDays`), newest first, one item for each send: also when its push failed or was skipped because the person has switched pushes off. Texts are in the person’s language of now.
         */
        get: operations["readInboxByExternalId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/by-external-id/{externalId}/inbox/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark items of a person’s inbox as read
         * @description `ids` names items, `all: true` means all that were sent up to `before` or now. `read: false` makes them unread again.
         */
        post: operations["markInboxByExternalId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/by-external-id/{externalId}/inbox/{itemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Hide an item of a person’s inbox
         * @description The item does not come back. An unknown item changes nothing.
         */
        delete: operations["hideInboxItemByExternalId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a notification
         * @description Accepts a notification to users, devices, a segment or everyone. The id that it answers leads to the outcomes.
         */
        post: operations["sendNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send up to 100 notifications
         * @description Each item is sent or refused by itself, as POST /v1/notifications would, and counts in its limit: read `results`, where `index` is the place in the request. An item with an `idempotencyKey`, or any item when the request has the header, is sent once: a repeated request sends only what is missing.
         */
        post: operations["sendNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a notification or a campaign without sending it
         * @description Answers whom the send would reach, who would be skipped and why, when, in which languages, and how large the pushes are. The code that sends counts and renders here too. Nothing is sent or written. Samples show values of users, so they need the scope users:read too (of an administration key: people).
         */
        post: operations["dryRunNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a draft of a campaign
         * @description Nothing is sent. With neither segment nor segmentId it is for everyone. Fields given here win over those of the template.
         */
        post: operations["createCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a draft, or start its schedule
         * @description Answers the new status of the campaign: sending, scheduled or active, as its schedule says.
         */
        post: operations["sendCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a campaign that has not begun */
        post: operations["cancelCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/experiment/winner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the winning variant to the rest of the audience
         * @description Makes and sends a campaign of its own to everyone who was held out of the experiment.
         */
        post: operations["pickWinner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recall a campaign that went out by mistake
         * @description Cancels what is unsent. With `replace` or `dismiss` a follow-up then asks each device to which the campaign was sent to show another text in its place, or to remove it. Devices are asked, and what was read is read: a device that is off gets the follow-up later or never, and browsers cannot be asked to remove.
         */
        post: operations["recallCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the counters of a campaign
         * @description Counters go on changing after the campaign is sent, because devices report later. A rate is null while there is nothing to divide by.
         */
        get: operations["readCampaignStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a device, or the devices of a user, got a campaign or did not
         * @description Exactly one of subscriptionId, userId and externalId names whom. The key needs the scope users:read too, because the answer shows values of the user. Later versions may add steps.
         */
        get: operations["explainCampaign"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/breakdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the counters of a campaign by platform, code, variant and button
         * @description The key needs the scope users:read too.
         */
        get: operations["readCampaignBreakdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/segments/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count the devices that a segment would reach
         * @description Counts devices that are opted in and not invalidated, as a send would. Without a segment, or with {}, everyone is counted.
         */
        post: operations["previewSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List saved segments, newest first */
        get: operations["listSegments"];
        put?: never;
        /** Save a segment */
        post: operations["createSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/segments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a saved segment */
        get: operations["readSegment"];
        /**
         * Replace a saved segment
         * @description Replaces name, description and definition, and clears the stored count. Campaigns already sent keep what they copied.
         */
        put: operations["replaceSegment"];
        post?: never;
        /**
         * Delete a saved segment
         * @description A draft that still points at it gets 404 when it is sent.
         */
        delete: operations["deleteSegment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/segments/{id}/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Count the devices of a saved segment and keep the count */
        post: operations["countSegment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List templates, newest first */
        get: operations["listTemplates"];
        put?: never;
        /** Make a template */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a template */
        get: operations["readTemplate"];
        /**
         * Replace a template
         * @description Replaces the whole: an optional field that is left out is removed. Campaigns that used it keep their copy.
         */
        put: operations["replaceTemplate"];
        post?: never;
        /**
         * Delete a template
         * @description Campaigns that used it keep their copy.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/e/{kind}/{msgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what became of a push on its device
         * @description kind is d (delivered), o (opened), c (clicked) or x (dismissed). The signed msgId is the credential. A replay answers 204 and counts nothing.
         */
        post: operations["trackEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/u/{msgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the category of a push with one tap
         * @description The signed msgId is the credential. The user of the push leaves the category of its campaign, until 30 days after the send. Without a category that can be left nothing happens, and the answer is the same.
         */
        post: operations["leaveCategory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service takes requests
         * @description 503 while the database is unreachable or frozen.
         */
        get: operations["readHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["readOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An interactive browser of this document */
        get: operations["readDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/web-push-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the key that a page subscribes with
         * @description The applicationServerKey of PushManager.subscribe. A subscription that was made with another key gets nothing: subscribe anew. 404 while Web Push is not configured.
         */
        get: operations["readWebPushKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/activity-start-tokens/{attributesType}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say with which token a device starts a type of Live Activity
         * @description Call it with each of `pushToStartTokenUpdates`. Only iOS; a device keeps at most 20 tokens. That of an activity goes 12 hours after its last change, one for starting after 90 days.
         */
        put: operations["putActivityStartToken"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions/{id}/activities/{activityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say with which token a device’s Live Activity is updated
         * @description Call it with each of the activity’s `pushTokenUpdates`. The activity’s id is yours, and any number of devices may have it. Only iOS; a device keeps at most 20 tokens. That of an activity goes 12 hours after its last change, one for starting after 90 days.
         */
        put: operations["putActivity"];
        post?: never;
        /**
         * Say that a device’s Live Activity has ended
         * @description An activity that the device does not have changes nothing.
         */
        delete: operations["deleteActivity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/live-activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start, update or end a Live Activity
         * @description A start reaches the devices of `target` that have a start token for the type; update and end reach the devices that have the activity. The id that it answers leads to the outcomes, as that of a notification does.
         */
        post: operations["sendLiveActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    delivery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Events of up to one second, at most 100, posted to each endpoint that asks for them
         * @description Verify the signature on the raw body before parsing it, answer 2xx within 10 seconds, and work on the events later. A delivery may come again, and events may come out of order.
         */
        post: operations["receiveWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Which devices a segment matches; {} means everyone. At most 8 levels deep, with at most 100 leaves and 10,000 listed values; one that costs too much per device is refused at the leaf that is too much. */
        Segment: Record<string, never> | components["schemas"]["SegmentNode"];
        SegmentNode: {
            field: string;
            /** @enum {string} */
            op: "eq" | "ne" | "in" | "nin" | "gt" | "gte" | "lt" | "lte" | "exists" | "contains" | "startsWith";
            /** @description A text, number or truth value; for `in` and `nin` 1 to 500 of them. Dates may be relative: -14d, +2h. */
            value: unknown;
        } | {
            and: components["schemas"]["SegmentNode"][];
        } | {
            or: components["schemas"]["SegmentNode"][];
        } | {
            not: components["schemas"]["SegmentNode"];
        };
        Error: {
            error: {
                /** @description One of a fixed list: programs decide by it. */
                code: string;
                /** @description A sentence for people. */
                message: string;
                /** @description Which fields are wrong. */
                details?: {
                    path: string;
                    message: string;
                }[];
            };
        };
        Tags: {
            [key: string]: string | number | boolean;
        };
        WebPushKeys: {
            p256dh: string;
            auth: string;
        };
        RegisterSubscriptionBody: {
            /** @enum {string} */
            platform: "ios" | "android";
            token: string;
            externalId?: string;
            tags?: components["schemas"]["Tags"];
            language?: string;
            timezone?: string;
            country?: string;
            appVersion?: string;
            sdkVersion?: string;
            osVersion?: string;
            deviceModel?: string;
            old?: string;
        } | {
            /** @constant */
            platform: "web";
            /** Format: uri */
            endpoint: string;
            keys: components["schemas"]["WebPushKeys"];
            browser?: string;
            standalone?: boolean;
            externalId?: string;
            tags?: components["schemas"]["Tags"];
            language?: string;
            timezone?: string;
            country?: string;
            appVersion?: string;
            sdkVersion?: string;
            osVersion?: string;
            deviceModel?: string;
        };
        Registered: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            userId: components["schemas"]["Id"];
        };
        /** @description An id: 24 lower-case hexadecimal characters. */
        Id: string;
        RotateSubscriptionBody: {
            old: string;
            new: {
                /** Format: uri */
                endpoint: string;
                keys: components["schemas"]["WebPushKeys"];
            };
        };
        Rotated: {
            id: components["schemas"]["Id"];
        };
        ChangeSubscriptionBody: {
            optedIn?: boolean;
            appVersion?: string;
            osVersion?: string;
            deviceModel?: string;
            badge?: number;
        };
        OptedIn: {
            id: components["schemas"]["Id"];
            optedIn: boolean;
        };
        /** @default {} */
        StartSessionBody: {
            appVersion?: string;
            osVersion?: string;
        };
        Session: {
            id: components["schemas"]["Id"];
            sessionCount: number;
            /** Format: date-time */
            lastSessionAt: string;
        };
        LoginSubscriptionBody: {
            externalId: string;
        };
        LoggedIn: {
            userId: components["schemas"]["Id"];
            externalId: string;
        };
        LoggedOut: {
            userId: components["schemas"]["Id"];
        };
        UserChanges: {
            tags?: components["schemas"]["TagChanges"];
            language?: string;
            timezone?: string;
            country?: string;
        };
        TagChanges: {
            [key: string]: string | number | boolean | null;
        };
        OwnerChanged: {
            userId: components["schemas"]["Id"];
            tags: {
                [key: string]: string | number | boolean;
            };
        };
        ChangeUsersBody: {
            users: {
                externalId?: string;
                userId?: string;
                tags?: components["schemas"]["TagChanges"];
                language?: string;
                timezone?: string;
                country?: string;
            }[];
        };
        UsersChanged: {
            results: {
                /** @description The place of the item in the request, counted from 0. */
                index: number;
                status: number;
                id?: components["schemas"]["Id"];
                created?: boolean;
                error?: components["schemas"]["ItemError"];
            }[];
        };
        /** @description Why the item was refused: the error that a request for this item alone would get, with the path of the field in this request. */
        ItemError: {
            code: string;
            message: string;
            details?: {
                path: string;
                message: string;
            }[];
        };
        User: {
            id: components["schemas"]["Id"];
            externalId?: string;
            tags: {
                [key: string]: string | number | boolean;
            };
            language: string | null;
            timezone: string | null;
            country: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastActiveAt: string;
            subscriptions: components["schemas"]["Subscription"][];
        };
        Subscription: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            token?: string;
            endpoint?: string;
            keys?: {
                p256dh: string;
                auth: string;
            };
            optedIn: boolean;
            appVersion: string | null;
            sdkVersion: string | null;
            osVersion: string | null;
            deviceModel: string | null;
            browser: string | null;
            standalone: boolean | null;
            sessionCount: number;
            lastSessionAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastActiveAt: string;
            lastNotifiedAt: string | null;
            invalidatedAt: string | null;
        };
        ShownPreferences: {
            categories: {
                id: string;
                name: string;
                description: string | null;
                subscribed: boolean;
                /** @description Nobody can leave it. */
                locked: boolean;
            }[];
        };
        ChangePreferencesOfDeviceBody: {
            categories: {
                [key: string]: boolean | null;
            };
        };
        ChangePreferencesBody: {
            categories: {
                [key: string]: boolean | null;
            };
        };
        ChangePreferencesByExternalIdBody: {
            categories: {
                [key: string]: boolean | null;
            };
        };
        ReportConversionsBody: {
            events: {
                /** @description The caller’s own id of it, such as an order’s number. An id counts once in an app. */
                id: string;
                /** @description What happened, such as `order`. An app has at most 50 names. */
                name: string;
                /**
                 * Format: date-time
                 * @description When it happened: at most 7 days ago, and at most 5 minutes ahead. A repeat must carry the same time.
                 */
                at: string;
                /** @description At most 4 decimals. Sums are exact. */
                value?: number;
                /** @description The currency of `value`; without one the value is counted as `XXX`. */
                currency?: string;
                /** @description The push that led to it, where the app knows it. */
                msgId?: string;
                externalId?: string;
                userId?: string;
            }[];
        };
        ConversionsReported: {
            results: {
                /** @description As in the request; null when it is not a text. */
                id: string | null;
                /** @enum {string} */
                status: "counted" | "duplicate" | "unknown_user" | "invalid";
                error?: components["schemas"]["ItemError"];
                /** @description The campaign that led to it; left out when there is none. */
                attribution?: {
                    campaignId: components["schemas"]["Id"];
                    /** @enum {string} */
                    how: "direct" | "influenced";
                };
            }[];
        };
        ReportConversionBody: {
            /** @description The caller’s own id of it, such as an order’s number. An id counts once in an app. */
            id: string;
            /** @description What happened, such as `order`. An app has at most 50 names. */
            name: string;
            /**
             * Format: date-time
             * @description When it happened: at most 7 days ago, and at most 5 minutes ahead. A repeat must carry the same time.
             */
            at: string;
            /** @description At most 4 decimals. Sums are exact. */
            value?: number;
            /** @description The currency of `value`; without one the value is counted as `XXX`. */
            currency?: string;
            /** @description The push that led to it, where the app knows it. */
            msgId?: string;
        };
        ConversionReported: {
            id: string;
            /** @enum {string} */
            status: "counted" | "duplicate";
            /** @description The campaign that led to it; left out when there is none. */
            attribution?: {
                campaignId: components["schemas"]["Id"];
                /** @enum {string} */
                how: "direct" | "influenced";
            };
        };
        Inbox: {
            items: {
                /** @description The id of the notification or campaign. */
                id: string;
                title: string;
                body: string;
                url: string | null;
                image: string | null;
                actions: {
                    id: string;
                    title: string;
                    url: string | null;
                }[];
                data: {
                    [key: string]: string;
                };
                /** @description The id of the send’s category; null without one. */
                category: string | null;
                /** Format: date-time */
                sentAt: string;
                readAt: string | null;
                /** @description Whether a device reported that the notification was opened or clicked. */
                opened: boolean;
            }[];
            /** @description How many of the newest 100 items are unread. */
            unread: number;
            nextCursor: string | null;
        };
        MarkInboxBody: {
            ids?: string[];
            /** @constant */
            all?: true;
            /** Format: date-time */
            before?: string;
            read?: boolean;
        };
        ContentMap: {
            _default: string;
            [locale: string]: components["schemas"]["LocaleEntry"] | string;
        };
        LocaleEntry: {
            title: string;
            body: string;
            url?: string;
            image?: string;
            actions?: components["schemas"]["Action"][];
        };
        Action: {
            id: string;
            title: string;
            url?: string;
        };
        ContentByLocale: {
            default: string;
            locales: {
                [key: string]: components["schemas"]["LocaleEntry"];
            };
        };
        Target: {
            externalIds?: string[];
            userIds?: string[];
            subscriptionIds?: string[];
            segment?: components["schemas"]["Segment"];
            segmentId?: string;
            /** @constant */
            all?: true;
        };
        Content: components["schemas"]["ContentMap"] | components["schemas"]["ContentByLocale"];
        CustomData: {
            [key: string]: string;
        };
        Presentation: {
            sound?: string;
            badge?: number;
            badgeIncrement?: number;
            threadId?: string;
            icon?: string;
            /** @enum {string} */
            interruptionLevel?: "passive" | "active" | "time-sensitive" | "critical";
            relevanceScore?: number;
            channelId?: string;
        };
        /** @description Fields that are merged last into what each provider gets: the payload of APNs, `message.android` of FCM, the options of a browser’s notification. At most 2,048 bytes of JSON each. */
        Overrides: {
            ios?: {
                [key: string]: unknown;
            };
            android?: {
                [key: string]: unknown;
            };
            web?: {
                [key: string]: unknown;
            };
        };
        Bypass: {
            frequencyCap?: boolean;
            quietHours?: boolean;
            /** @description A notification reaches who is held out in any case. */
            holdout?: boolean;
        };
        SendNotificationBody: {
            target: components["schemas"]["Target"];
            content?: components["schemas"]["Content"];
            templateId?: string;
            silent?: boolean;
            data?: components["schemas"]["CustomData"];
            ttl?: number;
            collapseId?: string;
            /** @enum {string} */
            priority?: "high" | "normal";
            presentation?: components["schemas"]["Presentation"];
            overrides?: components["schemas"]["Overrides"];
            category?: string;
            sendRate?: {
                perMinute: number;
            };
            inbox?: boolean;
            bypass?: components["schemas"]["Bypass"];
        };
        Accepted: {
            id: components["schemas"]["Id"];
            /** @constant */
            status: "sending";
        };
        SendNotificationsBody: {
            notifications: {
                target: components["schemas"]["Target"];
                content?: components["schemas"]["Content"];
                templateId?: string;
                silent?: boolean;
                data?: components["schemas"]["CustomData"];
                ttl?: number;
                collapseId?: string;
                /** @enum {string} */
                priority?: "high" | "normal";
                presentation?: components["schemas"]["Presentation"];
                overrides?: components["schemas"]["Overrides"];
                category?: string;
                sendRate?: {
                    perMinute: number;
                };
                inbox?: boolean;
                bypass?: components["schemas"]["Bypass"];
                idempotencyKey?: string;
            }[];
        };
        SendsAccepted: {
            results: {
                /** @description The place of the item in the request, counted from 0. */
                index: number;
                status: number;
                id?: components["schemas"]["Id"];
                replayed?: boolean;
                error?: components["schemas"]["ItemError"];
            }[];
        };
        Schedule: {
            /** @constant */
            type: "now";
        } | {
            /** @constant */
            type: "at";
            /** Format: date-time */
            at: string;
        } | {
            /** @constant */
            type: "user_timezone";
            localTime: string;
            /** Format: date */
            date?: string;
            lateMinutes?: number;
        } | {
            /** @constant */
            type: "recurring";
            /** @enum {string} */
            every: "day" | "week" | "month";
            interval?: number;
            /** Format: date */
            startDate?: string;
            daysOfWeek?: number[];
            daysOfMonth?: number[];
            nthWeekday?: {
                nth: number;
                day: number;
            };
            localTime: string;
            timezone: string;
            except?: string[];
            maxRuns?: number;
            /** Format: date-time */
            until?: string;
        };
        Experiment: {
            sampleRate: number;
            variants: {
                id: string;
                name: string;
                /** @default 1 */
                weight: number;
                content: components["schemas"]["Content"];
            }[];
            auto?: {
                /** @enum {string} */
                metric: "open" | "click" | "conversion";
                /** @description The name of the conversion, with that metric. */
                conversion?: string;
                afterMinutes: number;
                /** @description 60 if left out, or `afterMinutes` if less. */
                minMinutes?: number;
                /** @default 0.05 */
                alpha: number;
                /**
                 * @description Of each variant, with a push sent.
                 * @default 500
                 */
                minUsers: number;
                /** @enum {string} */
                ifInconclusive: "none" | "best";
            };
        };
        DryRunNotificationBody: {
            notification?: {
                target: components["schemas"]["Target"];
                content?: components["schemas"]["Content"];
                templateId?: string;
                silent?: boolean;
                data?: components["schemas"]["CustomData"];
                ttl?: number;
                collapseId?: string;
                /** @enum {string} */
                priority?: "high" | "normal";
                presentation?: components["schemas"]["Presentation"];
                overrides?: components["schemas"]["Overrides"];
                category?: string;
                sendRate?: {
                    perMinute: number;
                };
                inbox?: boolean;
                bypass?: components["schemas"]["Bypass"];
            };
            campaign?: {
                name: string;
                segment?: components["schemas"]["Segment"];
                segmentId?: string;
                schedule?: components["schemas"]["Schedule"];
                experiment?: components["schemas"]["Experiment"];
                content?: components["schemas"]["Content"];
                templateId?: string;
                silent?: boolean;
                data?: components["schemas"]["CustomData"];
                ttl?: number;
                collapseId?: string;
                /** @enum {string} */
                priority?: "high" | "normal";
                presentation?: components["schemas"]["Presentation"];
                overrides?: components["schemas"]["Overrides"];
                category?: string;
                sendRate?: {
                    perMinute: number;
                };
                inbox?: boolean;
                bypass?: components["schemas"]["Bypass"];
            };
            samples?: {
                subscriptionIds?: string[];
                random?: number;
                seed?: number | string;
            };
        };
        DryRunNotificationAnswer: {
            audience: {
                devices: number;
                users: number;
                byPlatform: {
                    ios: number;
                    android: number;
                    web: number;
                };
                /** @description False when the number was estimated from a sample (`interval` is its 95 % interval), or has devices that will be left out because they had their push already. */
                exact: boolean;
                sampleSize?: number;
                interval?: number[];
            };
            unreachable: {
                optedOut: number;
                invalidated: number;
            };
            skips: {
                reason: string;
                devices: number;
                /** @description False when the number was estimated from a sample (`interval` is its 95 % interval), or has devices that will be left out because they had their push already. */
                exact: boolean;
                sampleSize?: number;
                interval?: number[];
            }[];
            waves: {
                /** Format: date-time */
                at: string;
                devices: number;
            }[];
            experiment: {
                inSample: number;
                remainder: number;
                byVariant: {
                    [key: string]: number;
                };
            } | null;
            locales: {
                locale: string;
                devices: number;
                fallback: number;
            }[];
            bytes: {
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                locale: string | null;
                variant: string | null;
                max: number;
                limit: number;
                truncated: boolean;
            }[];
            samples: {
                subscriptionId: components["schemas"]["Id"];
                userId: components["schemas"]["Id"];
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                variant: string | null;
                locale: string | null;
                entry: {
                    title: string;
                    body: string;
                    url?: string;
                    image?: string;
                    actions?: {
                        id: string;
                        title: string;
                        url?: string;
                    }[];
                } | null;
                /** @description What the provider would be sent, without the token. */
                payload: {
                    [key: string]: unknown;
                } | null;
                bytes: number | null;
                limit: number;
                /** @description Why this device would be skipped; null when it would get the push. */
                skip: string | null;
                warnings: string[];
            }[];
            warnings: {
                code: string;
                path: string;
                message: string;
                devices: number | null;
            }[];
            estimate: {
                seconds: number | null;
                perSecond: number | null;
                basis: string;
            };
        };
        CreateCampaignBody: {
            name: string;
            segment?: components["schemas"]["Segment"];
            segmentId?: string;
            schedule?: components["schemas"]["Schedule"];
            experiment?: components["schemas"]["Experiment"];
            content?: components["schemas"]["Content"];
            templateId?: string;
            silent?: boolean;
            data?: components["schemas"]["CustomData"];
            ttl?: number;
            collapseId?: string;
            /** @enum {string} */
            priority?: "high" | "normal";
            presentation?: components["schemas"]["Presentation"];
            overrides?: components["schemas"]["Overrides"];
            category?: string;
            sendRate?: {
                perMinute: number;
            };
            inbox?: boolean;
            bypass?: components["schemas"]["Bypass"];
        };
        Drafted: {
            id: components["schemas"]["Id"];
            /** @constant */
            status: "draft";
        };
        Started: {
            /** @enum {string} */
            status: "sending" | "scheduled" | "active";
        };
        Cancelled: {
            /** @constant */
            status: "cancelled";
        };
        PickWinnerBody: {
            variant: string;
        };
        RecallCampaignBody: {
            /**
             * @description `stop`: only cancel what is unsent. `replace`: also ask devices to show `content` in place of the notification. `dismiss`: also ask devices to remove it.
             * @enum {string}
             */
            mode: "stop" | "replace" | "dismiss";
            content?: components["schemas"]["Content"];
            /** @description With `replace`, instead of `content`: the template gives its content. */
            templateId?: string;
            /** @description True if left out: devices that reported the notification opened are not asked. */
            skipOpened?: boolean;
        };
        Recalled: {
            /** @description The follow-up, which has its own counters; with mode `stop` the campaign itself. */
            id: components["schemas"]["Id"];
            /**
             * @description `scheduled`: the follow-up begins once every push of the campaign has an outcome. With mode `stop` the status of the campaign, which is `cancelled` once its last push has an outcome.
             * @enum {string}
             */
            status: "scheduled" | "cancelled" | "sending" | "paused";
        };
        CampaignStats: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            stats: {
                queued: number;
                sent: number;
                failed: number;
                skipped: number;
                delivered: number;
                opened: number;
                clicked: number;
                dismissed: number;
                /** @description Attributed conversions, by name; left out while there is none. */
                conversions?: {
                    [key: string]: {
                        count: number;
                        /** @description The push was opened or clicked before, or the report names it. */
                        direct: number;
                        /** @description The push was sent shortly before. */
                        influenced: number;
                        /** @description Different users. */
                        users: number;
                        /** @description The exact sum by currency, as a decimal number. */
                        value: {
                            [key: string]: string;
                        };
                    };
                };
                /** @description By variant id, for experiments only. */
                variants?: {
                    [key: string]: {
                        sent: number;
                        failed: number;
                        skipped: number;
                        delivered: number;
                        opened: number;
                        clicked: number;
                        dismissed: number;
                        /** @description Attributed conversions, by name; left out while there is none. */
                        conversions?: {
                            [key: string]: {
                                count: number;
                                /** @description The push was opened or clicked before, or the report names it. */
                                direct: number;
                                /** @description The push was sent shortly before. */
                                influenced: number;
                                /** @description Different users. */
                                users: number;
                                /** @description The exact sum by currency, as a decimal number. */
                                value: {
                                    [key: string]: string;
                                };
                            };
                        };
                    };
                };
            };
            /** @description delivered divided by sent; opened and clicked divided by delivered. Four decimals; null when the divisor is 0. */
            rates: {
                delivery: number | null;
                open: number | null;
                click: number | null;
            };
        };
        ExplainCampaignAnswer: {
            campaignId: components["schemas"]["Id"];
            /** @enum {string} */
            status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            startedAt: string | null;
            fannedOutAt: string | null;
            user: {
                id: components["schemas"]["Id"];
                externalId: string | null;
            } | null;
            devices: {
                subscriptionId: components["schemas"]["Id"];
                platform: ("ios" | "android" | "web") | null;
                /** @enum {string} */
                verdict: "sent" | "failed" | "skipped" | "in_flight" | "retrying" | "held" | "waiting" | "not_queued";
                /** @enum {string} */
                certainty: "recorded" | "derived" | "likely";
                sentence: string;
                waitingFor: ({
                    /** @constant */
                    kind: "schedule";
                    at: string | null;
                } | {
                    /** @constant */
                    kind: "fan_out";
                    /** @description Devices that were looked at so far. */
                    scanned: number;
                    /** @description Null: not counted. */
                    of: number | null;
                } | {
                    /** @constant */
                    kind: "window";
                } | {
                    /** @constant */
                    kind: "wave";
                    /** Format: date-time */
                    at: string;
                    wave: number;
                    of: number;
                } | {
                    /** @constant */
                    kind: "paused";
                    since: string | null;
                    /** @description A pause ends as a cancel then. */
                    at: string | null;
                } | {
                    /** @constant */
                    kind: "circuit";
                    /** @enum {string} */
                    platform: "ios" | "android" | "web";
                    environment: string;
                    code: ("token_dead" | "token_invalid" | "sender_mismatch" | "payload_too_large" | "payload_invalid" | "credentials_invalid" | "not_configured" | "rate_limited" | "provider_unavailable" | "network_error" | "timeout" | "encryption_failed" | "internal") | null;
                    /** Format: date-time */
                    since: string;
                    probeAt: string | null;
                    at: string | null;
                } | {
                    /** @constant */
                    kind: "quota";
                    /** Format: date-time */
                    at: string;
                } | {
                    /** @constant */
                    kind: "retry";
                    /** Format: date-time */
                    at: string;
                    code: string | null;
                    providerCode: string | null;
                } | {
                    /** @constant */
                    kind: "provider";
                    /** @description Until when a dispatcher has it; then another may take it. */
                    at: string | null;
                } | {
                    /** @constant */
                    kind: "rate";
                    at: string | null;
                    perMinute: number;
                }) | null;
                steps: ({
                    /** @constant */
                    step: "device";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    createdAt: string | null;
                    /** @description It was there when the send began; null: the send has not begun. */
                    inBounds: boolean | null;
                    deleted: boolean;
                } | {
                    /** @constant */
                    step: "reachable";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    optedIn: boolean;
                    optedOutAt: string | null;
                    invalidatedAt: string | null;
                    invalidatedBy: {
                        code: string;
                        campaignId: components["schemas"]["Id"] | null;
                    } | null;
                    /** Format: date-time */
                    registeredAt: string;
                } | {
                    /** @constant */
                    step: "owner";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    queuedFor: components["schemas"]["Id"];
                    ownerNow: components["schemas"]["Id"] | null;
                } | {
                    /** @constant */
                    step: "target";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /**
                     * @description `activity`: whether the device has a token for the Live Activity of the send.
                     * @enum {string}
                     */
                    kind: "externalIds" | "userIds" | "subscriptionIds" | "all" | "activity";
                    listed: boolean;
                } | {
                    /** @constant */
                    step: "segment";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** @description Whether what the segment asks about may have changed since the device was looked at for this send. */
                    changedSince: boolean;
                    leaves: {
                        path: string;
                        field: string;
                        op: string;
                        /** @description The value as it was written in the segment. */
                        wanted: unknown;
                        /** @description What the device or its user has now; null: nothing. */
                        actual: string | number | boolean | null;
                        matched: boolean;
                    }[];
                } | {
                    /** @constant */
                    step: "experiment";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    inSample: boolean;
                    sampleRate: number;
                    variant: string | null;
                    /** @description The experiment whose winner this send is: it goes to who is outside of that sample. */
                    remainderOf: components["schemas"]["Id"] | null;
                } | {
                    /** @constant */
                    step: "wave";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    zone: string;
                    zoneKnown: boolean;
                    /** Format: date-time */
                    at: string;
                    /** @description Counted from 1; null: the waves are not planned yet. */
                    wave: number | null;
                    of: number | null;
                    /** @description The date and time of the send had passed in the zone when it was sent, so its pushes are skipped. */
                    expired: boolean;
                } | {
                    /** @constant */
                    step: "quiet_hours";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    start: string;
                    end: string;
                    zone: string;
                    until: string | null;
                } | {
                    /** @constant */
                    step: "frequency_cap";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    max: number;
                    windowSeconds: number;
                    counted: {
                        campaignId: components["schemas"]["Id"];
                        /** Format: date-time */
                        at: string;
                    }[];
                } | {
                    /** @constant */
                    step: "page";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    cut: boolean;
                } | {
                    /** @constant */
                    step: "batch";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** Format: date-time */
                    queuedAt: string;
                    /** @enum {string} */
                    lane: "prompt" | "bulk";
                    notBefore: string | null;
                    tries: number;
                    leasedUntil: string | null;
                    circuit: {
                        code: string | null;
                        /** Format: date-time */
                        since: string;
                        probeAt: string | null;
                    } | null;
                } | {
                    /** @constant */
                    step: "message";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** @description Null: the send is silent. */
                    locale: string | null;
                    /** @description No text is in a language of the user, so the default is shown. */
                    fallback: boolean;
                    /** @description Null: nothing is left of the text. */
                    bytes: number | null;
                    limit: number;
                    truncated: boolean;
                    dropped: string[];
                } | {
                    /** @constant */
                    step: "attempts";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    attempts: {
                        n: number;
                        /** Format: date-time */
                        at: string;
                        code: string | null;
                        providerCode: string | null;
                    }[];
                } | {
                    /** @constant */
                    step: "outcome";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** @enum {string} */
                    outcome: "sent" | "failed" | "skipped" | "past_retention";
                    code: string | null;
                    providerCode: string | null;
                    attempts: number | null;
                    settledAt: string | null;
                } | {
                    /** @constant */
                    step: "reports";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    reports: {
                        /** @enum {string} */
                        kind: "delivered" | "opened" | "clicked" | "dismissed";
                        /** Format: date-time */
                        at: string;
                    }[];
                    /** @description The user’s conversions that are attributed to the campaign; left out when there is none. */
                    conversions?: {
                        name: string;
                        /** Format: date-time */
                        at: string;
                        /** @enum {string} */
                        how: "direct" | "influenced";
                    }[];
                } | {
                    /** @constant */
                    step: "category";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    category: string;
                    subscribed: boolean;
                    /**
                     * @description Who is in the category without a choice of their own: everybody or nobody.
                     * @enum {string}
                     */
                    default: "in" | "out";
                } | {
                    /** @constant */
                    step: "holdout";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    heldOut: boolean;
                    percent: number;
                } | {
                    /** @constant */
                    step: "recall";
                    /** @enum {string} */
                    result: "pass" | "stop" | "wait" | "info";
                    /** @enum {string} */
                    basis: "recorded" | "frozen" | "now";
                    /** @description The campaign that this one recalls. */
                    of: components["schemas"]["Id"];
                    /** @enum {string} */
                    mode: "replace" | "dismiss";
                    /** @description That campaign was sent to the device. */
                    sent: boolean;
                    /** @description The device reported it opened. */
                    opened: boolean;
                    skipOpened: boolean;
                })[];
            }[];
            /** @description The follow-ups that ask devices to replace or remove this campaign’s notification; left out when there is none. */
            recalls?: {
                campaignId: components["schemas"]["Id"];
                /** @enum {string} */
                mode: "replace" | "dismiss";
                /** @enum {string} */
                status: "draft" | "scheduled" | "sending" | "active" | "sent" | "cancelled" | "failed" | "paused";
            }[];
        };
        ReadCampaignBreakdownAnswer: {
            byPlatform: {
                ios: {
                    queued: number;
                    open: number;
                    sent: number | null;
                    failed: number | null;
                    skipped: number | null;
                };
                android: {
                    queued: number;
                    open: number;
                    sent: number | null;
                    failed: number | null;
                    skipped: number | null;
                };
                web: {
                    queued: number;
                    open: number;
                    sent: number | null;
                    failed: number | null;
                    skipped: number | null;
                };
            };
            /** @description Null where they are unknown: for a campaign that began before codes were counted, or a small one past the retention of the ledger. */
            codes: {
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                /** @enum {string} */
                outcome: "sent" | "failed" | "skipped";
                code: string;
                count: number;
            }[] | null;
            variants: {
                [key: string]: {
                    sent: number;
                    failed: number;
                    skipped: number;
                    delivered: number;
                    opened: number;
                    clicked: number;
                    dismissed: number;
                };
            };
            /** @description Clicks on buttons, the most clicked first, at most 50. A click on the notification itself is in none. */
            actions: {
                action: string;
                clicked: number;
            }[];
        };
        /** @default {} */
        PreviewSegmentBody: {
            segment?: components["schemas"]["Segment"];
        };
        SegmentCount: {
            count: number;
            byPlatform: {
                ios: number;
                android: number;
                web: number;
            };
        };
        SegmentList: {
            segments: components["schemas"]["SavedSegment"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        SavedSegment: {
            id: components["schemas"]["Id"];
            name: string;
            description: string | null;
            definition: {
                [key: string]: unknown;
            };
            lastCount: number | null;
            lastCountedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SaveSegment: {
            name: string;
            description?: string | null;
            definition: components["schemas"]["Segment"];
        };
        TemplateList: {
            templates: components["schemas"]["Template"][];
            /** @description The cursor of the next page; null on the last page. */
            nextCursor: string | null;
        };
        Template: {
            id: components["schemas"]["Id"];
            name: string;
            description: string | null;
            content: {
                [key: string]: unknown;
            };
            data: {
                [key: string]: string;
            } | null;
            presentation: components["schemas"]["Presentation"] | null;
            overrides: components["schemas"]["Overrides"] | null;
            ttl: number | null;
            collapseId: string | null;
            priority: ("high" | "normal") | null;
            silent: boolean | null;
            category: string | null;
            sendRate: {
                perMinute: number;
            } | null;
            useCount: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SaveTemplate: {
            name: string;
            description?: string | null;
            content: components["schemas"]["Content"];
            silent?: boolean;
            data?: components["schemas"]["CustomData"];
            ttl?: number;
            collapseId?: string;
            /** @enum {string} */
            priority?: "high" | "normal";
            presentation?: components["schemas"]["Presentation"];
            overrides?: components["schemas"]["Overrides"];
            category?: string;
            sendRate?: {
                perMinute: number;
            };
        };
        Healthy: {
            /** @constant */
            status: "ok";
            /** @constant */
            db: "ready";
        };
        Unhealthy: {
            /** @constant */
            status: "unavailable";
            /** @constant */
            db: "unreachable";
        };
        WebPushKey: {
            /** @description The public VAPID key: base64url of 65 bytes. */
            publicKey: string;
        };
        PutActivityStartTokenBody: {
            token: string;
        };
        TokenKept: {
            /** @description The id of the device. */
            id: components["schemas"]["Id"];
        };
        PutActivityBody: {
            attributesType: string;
            token: string;
        };
        SendLiveActivityBody: {
            activityId: string;
            /** @enum {string} */
            event: "start" | "update" | "end";
            /** @description Who gets the new activity; only to start. Update and end reach who has the activity. */
            target?: components["schemas"]["Target"];
            attributesType: string;
            /** @description What never changes in the activity; only to start, under the names of the Swift type. */
            attributes?: {
                [key: string]: unknown;
            };
            /** @description The state to show, as the Swift type `ContentState` decodes it. */
            contentState: {
                [key: string]: unknown;
            };
            /** @description A text that lights up the device, by language; required to start. */
            alert?: components["schemas"]["Content"];
            /** Format: date-time */
            staleAt?: string;
            /**
             * Format: date-time
             * @description When iOS takes the ended activity off the Lock Screen; only to end.
             */
            dismissAt?: string;
            relevanceScore?: number;
            /**
             * @description Start and end are high, an update is normal: iOS has a budget for high ones.
             * @enum {string}
             */
            priority?: "high" | "normal";
            ttl?: number;
        };
        /** @description A provider took the push. */
        NotificationSentEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notification.sent";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description There when the user has one. */
            externalId?: string;
            data?: {
                /**
                 * @description There when the send is a test.
                 * @constant
                 */
                test?: true;
            };
        };
        /** @description The device reports it. */
        NotificationDeliveredEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notification.delivered";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description There when the user has one. */
            externalId?: string;
            data?: {
                /** @description The id of the action that was pressed, where the device says so. */
                action?: string;
                /**
                 * @description There when the send is a test.
                 * @constant
                 */
                test?: true;
            };
        };
        /** @description The device reports it. */
        NotificationOpenedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notification.opened";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description There when the user has one. */
            externalId?: string;
            data?: {
                /** @description The id of the action that was pressed, where the device says so. */
                action?: string;
                /**
                 * @description There when the send is a test.
                 * @constant
                 */
                test?: true;
            };
        };
        /** @description The device reports it. */
        NotificationClickedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notification.clicked";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description There when the user has one. */
            externalId?: string;
            data?: {
                /** @description The id of the action that was pressed, where the device says so. */
                action?: string;
                /**
                 * @description There when the send is a test.
                 * @constant
                 */
                test?: true;
            };
        };
        /** @description The device reports it. */
        NotificationDismissedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notification.dismissed";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description There when the user has one. */
            externalId?: string;
            data?: {
                /** @description The id of the action that was pressed, where the device says so. */
                action?: string;
                /**
                 * @description There when the send is a test.
                 * @constant
                 */
                test?: true;
            };
        };
        /** @description A conversion is attributed to the push. */
        NotificationConvertedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notification.converted";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description There when the user has one. */
            externalId?: string;
            data: {
                name: string;
                /** @description An exact decimal number. */
                value: string | null;
                currency: string | null;
                /** @description The id with which the conversion was reported. */
                eventId: string;
                /** @enum {string} */
                how: "direct" | "influenced";
            };
        };
        /** @description The push could not be sent. */
        NotificationFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notification.failed";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description There when the user has one. */
            externalId?: string;
            data: {
                /** @description One of token_dead, token_invalid, sender_mismatch, payload_too_large, payload_invalid, credentials_invalid, not_configured, rate_limited, provider_unavailable, network_error, timeout, encryption_failed, internal. */
                code: string;
                /** @description The provider’s own words. */
                providerCode: string | null;
                /** @description Tries at the provider. */
                attempts: number;
                /**
                 * @description There when the send is a test.
                 * @constant
                 */
                test?: true;
            };
        };
        /** @description The push was not to be sent. */
        NotificationSkippedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "notification.skipped";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description There when the user has one. */
            externalId?: string;
            data: {
                /** @description One of deleted, owner_changed, invalidated, holdout, unsubscribed, opted_out, expired, silent_web, quiet_hours, frequency_cap, empty_content, cancelled. */
                reason: string;
                /**
                 * @description There when the send is a test.
                 * @constant
                 */
                test?: true;
            };
        };
        /** @description A provider says that the device’s token is dead. */
        SubscriptionInvalidatedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "subscription.invalidated";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            userId: components["schemas"]["Id"];
            subscriptionId: components["schemas"]["Id"];
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            /** @description There when the user has one. */
            externalId?: string;
            data: {
                /** @description What the provider’s answer means, such as token_dead. */
                code: string;
                /**
                 * @description There when the send is a test.
                 * @constant
                 */
                test?: true;
            };
        };
        /** @description Every push of a campaign is queued, not necessarily sent. It is of no user and no device. */
        CampaignCompletedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "campaign.completed";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
            campaignId: components["schemas"]["Id"];
            data: {
                queued: number;
                byPlatform: {
                    ios: number;
                    android: number;
                    web: number;
                };
                name: string;
                transactional: boolean;
                /**
                 * @description There when the send is a test.
                 * @constant
                 */
                test?: true;
            };
        };
        /** @description Somebody tested the endpoint. */
        PingEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ping";
            /** @description The same whenever this event is delivered. */
            id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            ts: string;
            appId: components["schemas"]["Id"];
        };
        /** @description What happened. New types and fields may be added: ignore what you do not know. */
        WebhookEvent: components["schemas"]["NotificationSentEvent"] | components["schemas"]["NotificationDeliveredEvent"] | components["schemas"]["NotificationOpenedEvent"] | components["schemas"]["NotificationClickedEvent"] | components["schemas"]["NotificationDismissedEvent"] | components["schemas"]["NotificationConvertedEvent"] | components["schemas"]["NotificationFailedEvent"] | components["schemas"]["NotificationSkippedEvent"] | components["schemas"]["SubscriptionInvalidatedEvent"] | components["schemas"]["CampaignCompletedEvent"] | components["schemas"]["PingEvent"];
        WebhookDelivery: {
            /** @description The same whenever this delivery is tried again. */
            id: string;
            events: components["schemas"]["WebhookEvent"][];
        };
    };
    responses: {
        /** @description unauthorized */
        "401-unauthorized": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description forbidden */
        "403-forbidden": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description limit_reached */
        "409-limit_reached": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description body_too_large */
        "413-body_too_large": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description unsupported_media_type */
        "415-unsupported_media_type": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body */
        "422-invalid_body": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description rate_limited */
        "429-rate_limited": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description database_unavailable, queue_unavailable */
        "503-database_unavailable-queue_unavailable": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description not_found */
        "404-not_found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description idempotency_in_progress */
        "409-idempotency_in_progress": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body, invalid_segment, idempotency_key_reused */
        "422-invalid_body-invalid_segment-idempotency_key_reused": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_state */
        "409-invalid_state": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body, invalid_segment */
        "422-invalid_body-invalid_segment": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description limit_reached, idempotency_in_progress */
        "409-limit_reached-idempotency_in_progress": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description not_an_experiment, still_sending, invalid_state, no_remainder, winner_already_sent */
        "409-not_an_experiment-still_sending-invalid_state-no_remainder-winner_already_sent": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body, unknown_variant */
        "422-invalid_body-unknown_variant": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_state, idempotency_in_progress */
        "409-invalid_state-idempotency_in_progress": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_body, idempotency_key_reused */
        "422-invalid_body-idempotency_key_reused": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description duplicate_name, limit_reached */
        "409-duplicate_name-limit_reached": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description duplicate_name */
        "409-duplicate_name": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description unknown_kind, invalid_msg_id */
        "400-unknown_kind-invalid_msg_id": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_msg_id */
        "400-invalid_msg_id": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
        RequestId: string;
        /**
         * @description The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.
         * @example order-17-shipped
         */
        IdempotencyKey: string;
        /**
         * @description Gives each item without a key of its own the key `<Idempotency-Key>:<index>`: the same request again sends only what is missing, as long as keys are kept (24 hours unless the operator sets another time).
         * @example orders-of-today
         */
        ItemsIdempotencyKey: string;
        /** @description Needed with a public key and an externalId when the app requires identity verification: an HS256 JWT over its identity secret, sub = externalId, exp within an hour. */
        IdentityToken: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names this request in the log. */
        "x-request-id": string;
        /** @description Requests per minute, where there is a limit. */
        "RateLimit-Limit": number;
        /** @description Requests left in this minute. */
        "RateLimit-Remaining": number;
        /** @description Seconds until the next minute begins. */
        "RateLimit-Reset": number;
        /** @description Seconds to wait. */
        "Retry-After": number;
        /** @description true: this is the answer of an earlier request. */
        "Idempotent-Replayed": "true";
        /** @description Bearer */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    registerSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Needed with a public key and an externalId when the app requires identity verification: an HS256 JWT over its identity secret, sub = externalId, exp within an hour. */
                "x-identity-token"?: components["parameters"]["IdentityToken"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterSubscriptionBody"];
            };
        };
        responses: {
            /** @description Register a device */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a01",
                     *       "platform": "ios",
                     *       "userId": "671a2b3c4d5e6f7081920a02"
                     *     }
                     */
                    "application/json": components["schemas"]["Registered"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            409: components["responses"]["409-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateSubscriptionBody"];
            };
        };
        responses: {
            /** @description Give a browser its new endpoint */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a01"
                     *     }
                     */
                    "application/json": components["schemas"]["Rotated"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSubscriptionBody"];
            };
        };
        responses: {
            /** @description Change a device */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a01",
                     *       "optedIn": false
                     *     }
                     */
                    "application/json": components["schemas"]["OptedIn"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StartSessionBody"];
            };
        };
        responses: {
            /** @description Say that the app came to the foreground */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a01",
                     *       "sessionCount": 18,
                     *       "lastSessionAt": "2026-01-31T08:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    loginSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Needed with a public key and an externalId when the app requires identity verification: an HS256 JWT over its identity secret, sub = externalId, exp within an hour. */
                "x-identity-token"?: components["parameters"]["IdentityToken"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginSubscriptionBody"];
            };
        };
        responses: {
            /** @description Log a user in on a device */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "671a2b3c4d5e6f7081920a02",
                     *       "externalId": "customer-4711"
                     *     }
                     */
                    "application/json": components["schemas"]["LoggedIn"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    logoutSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Log the user out of a device */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "671a2b3c4d5e6f7081920a02"
                     *     }
                     */
                    "application/json": components["schemas"]["LoggedOut"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeOwnerByPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChanges"];
            };
        };
        responses: {
            /** @description Change the tags and fields of the user who owns a device */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "671a2b3c4d5e6f7081920a02",
                     *       "tags": {
                     *         "plan": "gold",
                     *         "orders": 12,
                     *         "newsletter": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["OwnerChanged"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeOwner: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChanges"];
            };
        };
        responses: {
            /** @description Change the tags and fields of the user who owns a device */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "671a2b3c4d5e6f7081920a02",
                     *       "tags": {
                     *         "plan": "gold",
                     *         "orders": 12,
                     *         "newsletter": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["OwnerChanged"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeUsers: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeUsersBody"];
            };
        };
        responses: {
            /** @description Change up to 500 users */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "index": 0,
                     *           "status": 200,
                     *           "id": "671a2b3c4d5e6f7081920a02",
                     *           "created": false
                     *         },
                     *         {
                     *           "index": 1,
                     *           "status": 200,
                     *           "id": "671a2b3c4d5e6f7081920a12",
                     *           "created": true
                     *         },
                     *         {
                     *           "index": 2,
                     *           "status": 404,
                     *           "error": {
                     *             "code": "not_found",
                     *             "message": "Not found."
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UsersChanged"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a user with all devices */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a02",
                     *       "externalId": "customer-4711",
                     *       "tags": {
                     *         "plan": "gold",
                     *         "orders": 12,
                     *         "newsletter": true
                     *       },
                     *       "language": "de-AT",
                     *       "timezone": "Europe/Vienna",
                     *       "country": "AT",
                     *       "createdAt": "2025-11-03T17:20:11.000Z",
                     *       "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *       "subscriptions": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a01",
                     *           "platform": "ios",
                     *           "token": "…c0ffee",
                     *           "optedIn": true,
                     *           "appVersion": "4.2.0",
                     *           "sdkVersion": "1.0.0",
                     *           "osVersion": "18.1",
                     *           "deviceModel": "iPhone16,2",
                     *           "browser": null,
                     *           "standalone": null,
                     *           "sessionCount": 17,
                     *           "lastSessionAt": "2026-01-31T08:00:00.000Z",
                     *           "createdAt": "2025-11-03T17:20:11.000Z",
                     *           "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *           "lastNotifiedAt": "2026-01-30T18:00:00.000Z",
                     *           "invalidatedAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChanges"];
            };
        };
        responses: {
            /** @description Change a user */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a02",
                     *       "externalId": "customer-4711",
                     *       "tags": {
                     *         "plan": "gold",
                     *         "orders": 12,
                     *         "newsletter": true
                     *       },
                     *       "language": "de-AT",
                     *       "timezone": "Europe/Vienna",
                     *       "country": "AT",
                     *       "createdAt": "2025-11-03T17:20:11.000Z",
                     *       "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *       "subscriptions": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a01",
                     *           "platform": "ios",
                     *           "token": "…c0ffee",
                     *           "optedIn": true,
                     *           "appVersion": "4.2.0",
                     *           "sdkVersion": "1.0.0",
                     *           "osVersion": "18.1",
                     *           "deviceModel": "iPhone16,2",
                     *           "browser": null,
                     *           "standalone": null,
                     *           "sessionCount": 17,
                     *           "lastSessionAt": "2026-01-31T08:00:00.000Z",
                     *           "createdAt": "2025-11-03T17:20:11.000Z",
                     *           "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *           "lastNotifiedAt": "2026-01-30T18:00:00.000Z",
                     *           "invalidatedAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readUserByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example customer-4711 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a user with all devices */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a02",
                     *       "externalId": "customer-4711",
                     *       "tags": {
                     *         "plan": "gold",
                     *         "orders": 12,
                     *         "newsletter": true
                     *       },
                     *       "language": "de-AT",
                     *       "timezone": "Europe/Vienna",
                     *       "country": "AT",
                     *       "createdAt": "2025-11-03T17:20:11.000Z",
                     *       "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *       "subscriptions": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a01",
                     *           "platform": "ios",
                     *           "token": "…c0ffee",
                     *           "optedIn": true,
                     *           "appVersion": "4.2.0",
                     *           "sdkVersion": "1.0.0",
                     *           "osVersion": "18.1",
                     *           "deviceModel": "iPhone16,2",
                     *           "browser": null,
                     *           "standalone": null,
                     *           "sessionCount": 17,
                     *           "lastSessionAt": "2026-01-31T08:00:00.000Z",
                     *           "createdAt": "2025-11-03T17:20:11.000Z",
                     *           "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *           "lastNotifiedAt": "2026-01-30T18:00:00.000Z",
                     *           "invalidatedAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteUserByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example customer-4711 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeUserByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example customer-4711 */
                externalId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChanges"];
            };
        };
        responses: {
            /** @description Change a user */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a02",
                     *       "externalId": "customer-4711",
                     *       "tags": {
                     *         "plan": "gold",
                     *         "orders": 12,
                     *         "newsletter": true
                     *       },
                     *       "language": "de-AT",
                     *       "timezone": "Europe/Vienna",
                     *       "country": "AT",
                     *       "createdAt": "2025-11-03T17:20:11.000Z",
                     *       "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *       "subscriptions": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a01",
                     *           "platform": "ios",
                     *           "token": "…c0ffee",
                     *           "optedIn": true,
                     *           "appVersion": "4.2.0",
                     *           "sdkVersion": "1.0.0",
                     *           "osVersion": "18.1",
                     *           "deviceModel": "iPhone16,2",
                     *           "browser": null,
                     *           "standalone": null,
                     *           "sessionCount": 17,
                     *           "lastSessionAt": "2026-01-31T08:00:00.000Z",
                     *           "createdAt": "2025-11-03T17:20:11.000Z",
                     *           "lastActiveAt": "2026-01-31T08:04:30.000Z",
                     *           "lastNotifiedAt": "2026-01-30T18:00:00.000Z",
                     *           "invalidatedAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readPreferencesOfDevice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read which categories the owner of a device is in */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categories": [
                     *         {
                     *           "id": "offers",
                     *           "name": "Offers",
                     *           "description": "Sales and new things",
                     *           "subscribed": false,
                     *           "locked": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ShownPreferences"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePreferencesOfDevice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePreferencesOfDeviceBody"];
            };
        };
        responses: {
            /** @description Let the owner of a device join or leave categories */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categories": [
                     *         {
                     *           "id": "offers",
                     *           "name": "Offers",
                     *           "description": "Sales and new things",
                     *           "subscribed": false,
                     *           "locked": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ShownPreferences"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readPreferences: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read which categories a person is in */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categories": [
                     *         {
                     *           "id": "offers",
                     *           "name": "Offers",
                     *           "description": "Sales and new things",
                     *           "subscribed": false,
                     *           "locked": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ShownPreferences"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePreferences: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePreferencesBody"];
            };
        };
        responses: {
            /** @description Let a person join or leave categories */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categories": [
                     *         {
                     *           "id": "offers",
                     *           "name": "Offers",
                     *           "description": "Sales and new things",
                     *           "subscribed": false,
                     *           "locked": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ShownPreferences"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readPreferencesByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example customer-4711 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read which categories a person is in */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categories": [
                     *         {
                     *           "id": "offers",
                     *           "name": "Offers",
                     *           "description": "Sales and new things",
                     *           "subscribed": false,
                     *           "locked": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ShownPreferences"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePreferencesByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example customer-4711 */
                externalId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePreferencesByExternalIdBody"];
            };
        };
        responses: {
            /** @description Let a person join or leave categories */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categories": [
                     *         {
                     *           "id": "offers",
                     *           "name": "Offers",
                     *           "description": "Sales and new things",
                     *           "subscribed": false,
                     *           "locked": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ShownPreferences"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reportConversions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportConversionsBody"];
            };
        };
        responses: {
            /** @description Report up to 500 conversions, such as orders */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "id": "order-90210",
                     *           "status": "counted",
                     *           "attribution": {
                     *             "campaignId": "671a2b3c4d5e6f7081920a05",
                     *             "how": "direct"
                     *           }
                     *         },
                     *         {
                     *           "id": "order-90211",
                     *           "status": "unknown_user"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConversionsReported"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reportConversion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportConversionBody"];
            };
        };
        responses: {
            /** @description Report a conversion of the user who owns a device */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "watched-77-4711",
                     *       "status": "counted",
                     *       "attribution": {
                     *         "campaignId": "671a2b3c4d5e6f7081920a05",
                     *         "how": "influenced"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ConversionReported"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readInboxOfDevice: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description Needed with a public key and an externalId when the app requires identity verification: an HS256 JWT over its identity secret, sub = externalId, exp within an hour. */
                "x-identity-token"?: components["parameters"]["IdentityToken"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the inbox of a device’s owner */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a05",
                     *           "title": "Your order is on its way",
                     *           "body": "It arrives today.",
                     *           "url": "https://shop.example/orders/17",
                     *           "image": null,
                     *           "actions": [],
                     *           "data": {
                     *             "kind": "order"
                     *           },
                     *           "category": null,
                     *           "sentAt": "2026-01-31T08:00:00.000Z",
                     *           "readAt": null,
                     *           "opened": false
                     *         }
                     *       ],
                     *       "unread": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["Inbox"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    markInboxOfDevice: {
        parameters: {
            query?: never;
            header?: {
                /** @description Needed with a public key and an externalId when the app requires identity verification: an HS256 JWT over its identity secret, sub = externalId, exp within an hour. */
                "x-identity-token"?: components["parameters"]["IdentityToken"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkInboxBody"];
            };
        };
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    hideInboxItemOfDevice: {
        parameters: {
            query?: never;
            header?: {
                /** @description Needed with a public key and an externalId when the app requires identity verification: an HS256 JWT over its identity secret, sub = externalId, exp within an hour. */
                "x-identity-token"?: components["parameters"]["IdentityToken"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
                /** @example 671a2b3c4d5e6f7081920a01 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readInbox: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a person’s inbox */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a05",
                     *           "title": "Your order is on its way",
                     *           "body": "It arrives today.",
                     *           "url": "https://shop.example/orders/17",
                     *           "image": null,
                     *           "actions": [],
                     *           "data": {
                     *             "kind": "order"
                     *           },
                     *           "category": null,
                     *           "sentAt": "2026-01-31T08:00:00.000Z",
                     *           "readAt": null,
                     *           "opened": false
                     *         }
                     *       ],
                     *       "unread": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["Inbox"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    markInbox: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkInboxBody"];
            };
        };
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    hideInboxItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a02 */
                id: string;
                /** @example 671a2b3c4d5e6f7081920a02 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readInboxByExternalId: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example customer-4711 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a person’s inbox */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a05",
                     *           "title": "Your order is on its way",
                     *           "body": "It arrives today.",
                     *           "url": "https://shop.example/orders/17",
                     *           "image": null,
                     *           "actions": [],
                     *           "data": {
                     *             "kind": "order"
                     *           },
                     *           "category": null,
                     *           "sentAt": "2026-01-31T08:00:00.000Z",
                     *           "readAt": null,
                     *           "opened": false
                     *         }
                     *       ],
                     *       "unread": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["Inbox"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    markInboxByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example customer-4711 */
                externalId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkInboxBody"];
            };
        };
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    hideInboxItemByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example customer-4711 */
                externalId: string;
                /** @example 671a2b3c4d5e6f7081920a02 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendNotification: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.
                 * @example order-17-shipped
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendNotificationBody"];
            };
        };
        responses: {
            /** @description Send a notification */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "status": "sending"
                     *     }
                     */
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-idempotency_in_progress"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-invalid_segment-idempotency_key_reused"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendNotifications: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Gives each item without a key of its own the key `<Idempotency-Key>:<index>`: the same request again sends only what is missing, as long as keys are kept (24 hours unless the operator sets another time).
                 * @example orders-of-today
                 */
                "Idempotency-Key"?: components["parameters"]["ItemsIdempotencyKey"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendNotificationsBody"];
            };
        };
        responses: {
            /** @description Send up to 100 notifications */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "index": 0,
                     *           "status": 202,
                     *           "id": "671a2b3c4d5e6f7081920a05",
                     *           "replayed": true
                     *         },
                     *         {
                     *           "index": 1,
                     *           "status": 404,
                     *           "error": {
                     *             "code": "not_found",
                     *             "message": "templateId names nothing in this app.",
                     *             "details": [
                     *               {
                     *                 "path": "templateId",
                     *                 "message": "names nothing in this app"
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SendsAccepted"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dryRunNotification: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DryRunNotificationBody"];
            };
        };
        responses: {
            /** @description Try a notification or a campaign without sending it */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "audience": {
                     *         "devices": 1280,
                     *         "users": 1104,
                     *         "byPlatform": {
                     *           "ios": 520,
                     *           "android": 610,
                     *           "web": 150
                     *         },
                     *         "exact": true
                     *       },
                     *       "unreachable": {
                     *         "optedOut": 96,
                     *         "invalidated": 31
                     *       },
                     *       "skips": [
                     *         {
                     *           "reason": "frequency_cap",
                     *           "devices": 44,
                     *           "exact": true
                     *         }
                     *       ],
                     *       "waves": [
                     *         {
                     *           "at": "2026-01-31T08:10:00.000Z",
                     *           "devices": 1280
                     *         }
                     *       ],
                     *       "experiment": null,
                     *       "locales": [
                     *         {
                     *           "locale": "de",
                     *           "devices": 900,
                     *           "fallback": 0
                     *         },
                     *         {
                     *           "locale": "en",
                     *           "devices": 380,
                     *           "fallback": 20
                     *         }
                     *       ],
                     *       "bytes": [
                     *         {
                     *           "platform": "ios",
                     *           "locale": "de",
                     *           "variant": null,
                     *           "max": 421,
                     *           "limit": 4096,
                     *           "truncated": false
                     *         }
                     *       ],
                     *       "samples": [
                     *         {
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "userId": "671a2b3c4d5e6f7081920a02",
                     *           "platform": "ios",
                     *           "variant": null,
                     *           "locale": "de",
                     *           "entry": {
                     *             "title": "Ihre Bestellung ist unterwegs",
                     *             "body": "Sie kommt heute an."
                     *           },
                     *           "payload": {
                     *             "aps": {
                     *               "alert": {
                     *                 "title": "Ihre Bestellung ist unterwegs",
                     *                 "body": "Sie kommt heute an."
                     *               },
                     *               "mutable-content": 1
                     *             },
                     *             "herald": {
                     *               "msgId": "NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2.q83vEjRWeJCrze8SNFZ4kA"
                     *             }
                     *           },
                     *           "bytes": 421,
                     *           "limit": 4096,
                     *           "skip": null,
                     *           "warnings": []
                     *         }
                     *       ],
                     *       "warnings": [
                     *         {
                     *           "code": "not_configured",
                     *           "path": "providers.webpush",
                     *           "message": "has no credentials: pushes to the web will fail",
                     *           "devices": 150
                     *         }
                     *       ],
                     *       "estimate": {
                     *         "seconds": 2,
                     *         "perSecond": 812.5,
                     *         "basis": "recent_sends"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DryRunNotificationAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-invalid_segment"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCampaign: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.
                 * @example order-17-shipped
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCampaignBody"];
            };
        };
        responses: {
            /** @description Make a draft of a campaign */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "status": "draft"
                     *     }
                     */
                    "application/json": components["schemas"]["Drafted"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-limit_reached-idempotency_in_progress"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-invalid_segment-idempotency_key_reused"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a draft, or start its schedule */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "scheduled"
                     *     }
                     */
                    "application/json": components["schemas"]["Started"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body-invalid_segment"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel a campaign that has not begun */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "cancelled"
                     *     }
                     */
                    "application/json": components["schemas"]["Cancelled"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pickWinner: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PickWinnerBody"];
            };
        };
        responses: {
            /** @description Send the winning variant to the rest of the audience */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "status": "sending"
                     *     }
                     */
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-not_an_experiment-still_sending-invalid_state-no_remainder-winner_already_sent"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-unknown_variant"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    recallCampaign: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.
                 * @example order-17-shipped
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecallCampaignBody"];
            };
        };
        responses: {
            /** @description Recall a campaign that went out by mistake */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a0b",
                     *       "status": "scheduled"
                     *     }
                     */
                    "application/json": components["schemas"]["Recalled"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-invalid_state-idempotency_in_progress"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-idempotency_key_reused"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCampaignStats: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the counters of a campaign */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "status": "sent",
                     *       "stats": {
                     *         "queued": 1280,
                     *         "sent": 1278,
                     *         "failed": 2,
                     *         "skipped": 0,
                     *         "delivered": 1100,
                     *         "opened": 330,
                     *         "clicked": 110,
                     *         "dismissed": 40
                     *       },
                     *       "rates": {
                     *         "delivery": 0.8607,
                     *         "open": 0.3,
                     *         "click": 0.1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CampaignStats"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    explainCampaign: {
        parameters: {
            query?: {
                subscriptionId?: string;
                userId?: string;
                externalId?: string;
            };
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Explain why a device, or the devices of a user, got a campaign or did not */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "campaignId": "671a2b3c4d5e6f7081920a05",
                     *       "status": "sent",
                     *       "startedAt": "2026-01-13T18:30:00.000Z",
                     *       "fannedOutAt": "2026-01-13T18:30:02.000Z",
                     *       "user": {
                     *         "id": "671a2b3c4d5e6f7081920a02",
                     *         "externalId": "customer-4711"
                     *       },
                     *       "devices": [
                     *         {
                     *           "subscriptionId": "671a2b3c4d5e6f7081920a01",
                     *           "platform": "ios",
                     *           "verdict": "not_queued",
                     *           "certainty": "likely",
                     *           "sentence": "Not in the segment: tags.plan is free (the segment wants pro).",
                     *           "waitingFor": null,
                     *           "steps": [
                     *             {
                     *               "step": "device",
                     *               "result": "pass",
                     *               "basis": "frozen",
                     *               "createdAt": "2026-01-12T09:00:00.000Z",
                     *               "inBounds": true,
                     *               "deleted": false
                     *             },
                     *             {
                     *               "step": "reachable",
                     *               "result": "pass",
                     *               "basis": "now",
                     *               "optedIn": true,
                     *               "optedOutAt": null,
                     *               "invalidatedAt": null,
                     *               "invalidatedBy": null,
                     *               "registeredAt": "2026-01-12T09:00:00.000Z"
                     *             },
                     *             {
                     *               "step": "segment",
                     *               "result": "stop",
                     *               "basis": "now",
                     *               "changedSince": false,
                     *               "leaves": [
                     *                 {
                     *                   "path": "segment.and.0",
                     *                   "field": "tags.plan",
                     *                   "op": "eq",
                     *                   "wanted": "pro",
                     *                   "actual": "free",
                     *                   "matched": false
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ExplainCampaignAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readCampaignBreakdown: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a05 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the counters of a campaign by platform, code, variant and button */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "byPlatform": {
                     *         "ios": {
                     *           "queued": 640,
                     *           "open": 0,
                     *           "sent": 640,
                     *           "failed": 0,
                     *           "skipped": 0
                     *         },
                     *         "android": {
                     *           "queued": 500,
                     *           "open": 0,
                     *           "sent": 482,
                     *           "failed": 18,
                     *           "skipped": 0
                     *         },
                     *         "web": {
                     *           "queued": 110,
                     *           "open": 0,
                     *           "sent": 68,
                     *           "failed": 0,
                     *           "skipped": 42
                     *         }
                     *       },
                     *       "codes": [
                     *         {
                     *           "platform": "android",
                     *           "outcome": "failed",
                     *           "code": "token_dead",
                     *           "count": 18
                     *         },
                     *         {
                     *           "platform": "web",
                     *           "outcome": "skipped",
                     *           "code": "silent_web",
                     *           "count": 42
                     *         }
                     *       ],
                     *       "variants": {},
                     *       "actions": [
                     *         {
                     *           "action": "shop",
                     *           "clicked": 48
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReadCampaignBreakdownAnswer"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewSegment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PreviewSegmentBody"];
            };
        };
        responses: {
            /** @description Count the devices that a segment would reach */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1280,
                     *       "byPlatform": {
                     *         "ios": 520,
                     *         "android": 610,
                     *         "web": 150
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SegmentCount"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-invalid_segment"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSegments: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                /** @description Only items whose name contains this text, in upper or lower case. */
                q?: string;
            };
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List saved segments, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "segments": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a03",
                     *           "name": "Active customers",
                     *           "description": "Paying, seen within two weeks",
                     *           "definition": {
                     *             "and": [
                     *               {
                     *                 "field": "tags.plan",
                     *                 "op": "in",
                     *                 "value": [
                     *                   "gold",
                     *                   "silver"
                     *                 ]
                     *               },
                     *               {
                     *                 "field": "lastActiveAt",
                     *                 "op": "gt",
                     *                 "value": "-14d"
                     *               }
                     *             ]
                     *           },
                     *           "lastCount": 1280,
                     *           "lastCountedAt": "2026-01-31T08:10:00.000Z",
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "updatedAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SegmentList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSegment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveSegment"];
            };
        };
        responses: {
            /** @description Save a segment */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a03",
                     *       "name": "Active customers",
                     *       "description": "Paying, seen within two weeks",
                     *       "definition": {
                     *         "and": [
                     *           {
                     *             "field": "tags.plan",
                     *             "op": "in",
                     *             "value": [
                     *               "gold",
                     *               "silver"
                     *             ]
                     *           },
                     *           {
                     *             "field": "lastActiveAt",
                     *             "op": "gt",
                     *             "value": "-14d"
                     *           }
                     *         ]
                     *       },
                     *       "lastCount": null,
                     *       "lastCountedAt": null,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SavedSegment"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            409: components["responses"]["409-duplicate_name-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSegment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a03 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a saved segment */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a03",
                     *       "name": "Active customers",
                     *       "description": "Paying, seen within two weeks",
                     *       "definition": {
                     *         "and": [
                     *           {
                     *             "field": "tags.plan",
                     *             "op": "in",
                     *             "value": [
                     *               "gold",
                     *               "silver"
                     *             ]
                     *           },
                     *           {
                     *             "field": "lastActiveAt",
                     *             "op": "gt",
                     *             "value": "-14d"
                     *           }
                     *         ]
                     *       },
                     *       "lastCount": 1280,
                     *       "lastCountedAt": "2026-01-31T08:10:00.000Z",
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SavedSegment"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceSegment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a03 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveSegment"];
            };
        };
        responses: {
            /** @description Replace a saved segment */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a03",
                     *       "name": "Active customers",
                     *       "description": "Paying, seen within two weeks",
                     *       "definition": {
                     *         "and": [
                     *           {
                     *             "field": "tags.plan",
                     *             "op": "in",
                     *             "value": [
                     *               "gold",
                     *               "silver"
                     *             ]
                     *           },
                     *           {
                     *             "field": "lastActiveAt",
                     *             "op": "gt",
                     *             "value": "-14d"
                     *           }
                     *         ]
                     *       },
                     *       "lastCount": null,
                     *       "lastCountedAt": null,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SavedSegment"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-duplicate_name"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSegment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a03 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    countSegment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a03 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Count the devices of a saved segment and keep the count */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1280,
                     *       "byPlatform": {
                     *         "ios": 520,
                     *         "android": 610,
                     *         "web": 150
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SegmentCount"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body-invalid_segment"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description The most items of a page. */
                limit?: number;
                /** @description Continues a list: the `nextCursor` of the previous answer. */
                cursor?: string;
                /** @description Only items whose name contains this text, in upper or lower case. */
                q?: string;
            };
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List templates, newest first */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templates": [
                     *         {
                     *           "id": "671a2b3c4d5e6f7081920a04",
                     *           "name": "Order shipped",
                     *           "content": {
                     *             "_default": "en",
                     *             "en": {
                     *               "title": "Your order is on its way",
                     *               "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *               "url": "https://shop.example/orders/17"
                     *             },
                     *             "de": {
                     *               "title": "Ihre Bestellung ist unterwegs",
                     *               "body": "Sie kommt heute an."
                     *             }
                     *           },
                     *           "data": {
                     *             "kind": "order"
                     *           },
                     *           "ttl": 86400,
                     *           "presentation": {
                     *             "sound": "default"
                     *           },
                     *           "description": null,
                     *           "overrides": null,
                     *           "category": null,
                     *           "sendRate": null,
                     *           "collapseId": null,
                     *           "priority": null,
                     *           "silent": null,
                     *           "useCount": 3,
                     *           "createdAt": "2026-01-12T09:00:00.000Z",
                     *           "updatedAt": "2026-01-12T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveTemplate"];
            };
        };
        responses: {
            /** @description Make a template */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a04",
                     *       "name": "Order shipped",
                     *       "content": {
                     *         "_default": "en",
                     *         "en": {
                     *           "title": "Your order is on its way",
                     *           "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *           "url": "https://shop.example/orders/17"
                     *         },
                     *         "de": {
                     *           "title": "Ihre Bestellung ist unterwegs",
                     *           "body": "Sie kommt heute an."
                     *         }
                     *       },
                     *       "data": {
                     *         "kind": "order"
                     *       },
                     *       "ttl": 86400,
                     *       "presentation": {
                     *         "sound": "default"
                     *       },
                     *       "description": null,
                     *       "overrides": null,
                     *       "category": null,
                     *       "sendRate": null,
                     *       "collapseId": null,
                     *       "priority": null,
                     *       "silent": null,
                     *       "useCount": 0,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            409: components["responses"]["409-duplicate_name-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a04 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a template */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a04",
                     *       "name": "Order shipped",
                     *       "content": {
                     *         "_default": "en",
                     *         "en": {
                     *           "title": "Your order is on its way",
                     *           "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *           "url": "https://shop.example/orders/17"
                     *         },
                     *         "de": {
                     *           "title": "Ihre Bestellung ist unterwegs",
                     *           "body": "Sie kommt heute an."
                     *         }
                     *       },
                     *       "data": {
                     *         "kind": "order"
                     *       },
                     *       "ttl": 86400,
                     *       "presentation": {
                     *         "sound": "default"
                     *       },
                     *       "description": null,
                     *       "overrides": null,
                     *       "category": null,
                     *       "sendRate": null,
                     *       "collapseId": null,
                     *       "priority": null,
                     *       "silent": null,
                     *       "useCount": 3,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a04 */
                id: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveTemplate"];
            };
        };
        responses: {
            /** @description Replace a template */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a04",
                     *       "name": "Order shipped",
                     *       "content": {
                     *         "_default": "en",
                     *         "en": {
                     *           "title": "Your order is on its way",
                     *           "body": "Hello {{ tags.name | default: \"there\" }}, it arrives today.",
                     *           "url": "https://shop.example/orders/17"
                     *         },
                     *         "de": {
                     *           "title": "Ihre Bestellung ist unterwegs",
                     *           "body": "Sie kommt heute an."
                     *         }
                     *       },
                     *       "data": {
                     *         "kind": "order"
                     *       },
                     *       "ttl": 86400,
                     *       "presentation": {
                     *         "sound": "default"
                     *       },
                     *       "description": null,
                     *       "overrides": null,
                     *       "category": null,
                     *       "sendRate": null,
                     *       "collapseId": null,
                     *       "priority": null,
                     *       "silent": null,
                     *       "useCount": 3,
                     *       "createdAt": "2026-01-12T09:00:00.000Z",
                     *       "updatedAt": "2026-01-12T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-duplicate_name"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a04 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    trackEvent: {
        parameters: {
            query?: {
                /** @description The id of the action that was pressed; webhooks pass it on. In another form it is ignored. */
                action?: string;
            };
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example o */
                kind: string;
                /** @example NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2fDY3MWEyYjNjNGQ1ZTZmNzA4MTkyMGEwNXw2NzFhMmIzYzRkNWU2ZjcwODE5MjBhMDJ8NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTAxfGlvc3w.q83vEjRWeJCrze8SNFZ4kA */
                msgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-unknown_kind-invalid_msg_id"];
            404: components["responses"]["404-not_found"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    leaveCategory: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTA2fDY3MWEyYjNjNGQ1ZTZmNzA4MTkyMGEwNXw2NzFhMmIzYzRkNWU2ZjcwODE5MjBhMDJ8NjcxYTJiM2M0ZDVlNmY3MDgxOTIwYTAxfGlvc3w.q83vEjRWeJCrze8SNFZ4kA */
                msgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400-invalid_msg_id"];
            404: components["responses"]["404-not_found"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the service takes requests */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "db": "ready"
                     *     }
                     */
                    "application/json": components["schemas"]["Healthy"];
                };
            };
            /** @description The database is unreachable. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "unavailable",
                     *       "db": "unreachable"
                     *     }
                     */
                    "application/json": components["schemas"]["Unhealthy"];
                };
            };
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readOpenApiDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This document */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDocs: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An interactive browser of this document */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readWebPushKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the key that a page subscribes with */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "publicKey": "BNbN3OiAWKh0TIvvWGqHPBQfpGcJ_Yl2-TqnJLQjCkdUJpbOjPbcWEWzOvkBGDMbnGGJQbLq2O4AgBb3mWMRXlE"
                     *     }
                     */
                    "application/json": components["schemas"]["WebPushKey"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putActivityStartToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
                /** @example MatchAttributes */
                attributesType: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutActivityStartTokenBody"];
            };
        };
        responses: {
            /** @description Say with which token a device starts a type of Live Activity */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a01"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenKept"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putActivity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
                /** @example match-3 */
                activityId: string;
            };
            cookie?: never;
        };
        /** @description JSON of at most 32 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutActivityBody"];
            };
        };
        responses: {
            /** @description Say with which token a device’s Live Activity is updated */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a01"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenKept"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-limit_reached"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteActivity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @example 671a2b3c4d5e6f7081920a01 */
                id: string;
                /** @example match-3 */
                activityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            422: components["responses"]["422-invalid_body"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendLiveActivity: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The same request with the same key gets the first answer again, with Idempotent-Replayed: true, as long as the key is kept: 24 hours unless the operator sets another time.
                 * @example order-17-shipped
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The id of the request, in the answer and in Herald’s log. Unless it is 1 to 128 letters, digits or `._~:+/=@-`, Herald makes one. */
                "x-request-id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON of at most 512 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendLiveActivityBody"];
            };
        };
        responses: {
            /** @description Start, update or end a Live Activity */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "671a2b3c4d5e6f7081920a05",
                     *       "status": "sending"
                     *     }
                     */
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            401: components["responses"]["401-unauthorized"];
            403: components["responses"]["403-forbidden"];
            404: components["responses"]["404-not_found"];
            409: components["responses"]["409-idempotency_in_progress"];
            413: components["responses"]["413-body_too_large"];
            415: components["responses"]["415-unsupported_media_type"];
            422: components["responses"]["422-invalid_body-invalid_segment-idempotency_key_reused"];
            429: components["responses"]["429-rate_limited"];
            503: components["responses"]["503-database_unavailable-queue_unavailable"];
            /** @description Any other error has the same shape. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    receiveWebhookDelivery: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds, and the hex HMAC-SHA256 of `<t>.<raw body>` keyed with the endpoint’s secret. */
                "x-service-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookDelivery"];
            };
        };
        responses: {
            /** @description Received. Herald looks at the status alone. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description After 408, 429, 5xx or no answer Herald tries again, 5 times in all. After any other status it gives up. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
