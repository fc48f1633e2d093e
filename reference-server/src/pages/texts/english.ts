import type { ClientScope } from "../../protocol/vocabulary.js";
import type { SignInErrorReason } from "../../sign-in/sign-in-error.js";
import { type Html, html } from "../html.js";
import type { Language } from "../language.js";
import { connectionsEnglish } from "./connections-english.js";
import { setUpEnglish } from "./set-up-english.js";

const clientScopes: Record<ClientScope, string> = {
  openid: "Know which account you use here",
  profile: "See your name",
  email: "See your e-mail address",
  offline_access: "Stay signed in on this device until you sign out",
  "authz:login": "Call services with your permissions",
};

const refusals: Record<SignInErrorReason, (provider: string) => string> = {
  provider_unreachable: (provider) =>
    `${provider} cannot be reached at the moment. Try again in a minute; if it stays that way, tell an administrator.`,
  provider_refused: (provider) => `${provider} did not sign you in. Try again, or choose another account.`,
  invalid_response: (provider) =>
    `${provider} sent an answer that cannot be trusted. Try again; if it happens again, tell an administrator.`,
  email_missing: (provider) =>
    `${provider} did not say which e-mail address you have. An administrator must let it send the claim "email".`,
  email_unverified: (provider) =>
    `${provider} has not verified your e-mail address. Verify it there, then sign in again.`,
  email_domain: () => "Addresses of this e-mail domain may not sign in here. Use your work account.",
  user_disabled: () => "Your account is disabled. Ask an administrator.",
};

/** The pages' words in English; `german.ts` has the same in German. */
export const english = {
  language: "en" as Language,
  signIn: {
    title: "Sign in",
    heading: (installation: string) => `Sign in to ${installation}`,
    lead: "Choose the account you use at work.",
    nobodyYet: {
      title: "Nobody can sign in yet",
      paragraphs: [
        "No sign-in provider is set up here.",
        "An administrator has to register your company's OpenID provider.",
      ],
    },
    over: {
      title: "This sign-in is over",
      paragraphs: [
        "It was completed already, it took longer than ten minutes, or it was started in another browser.",
        "Start again. If it happens every time, allow cookies for this address.",
      ],
    },
    refused: "You are not signed in",
    refusals,
    tryAgain: "Try again",
    startAgain: "Start again",
  },
  welcome: {
    title: "Welcome",
    lead: "Sign in to see what you may do, your skills, and the devices that act for you.",
    signIn: "Sign in",
    hint: (command: Html): Html =>
      html`To use services from the command line, type ${command} in your terminal.`,
    signedOutTitle: "Signed out",
    signedOut: "You are signed out",
    signedOutLead: "This browser no longer knows you. Devices where you use the command line stay signed in.",
    signInAgain: "Sign in again",
  },
  account: {
    fallbackName: "Your account",
    notYou: "Not you?",
    signedInAs: "Signed in as",
  },
  consent: {
    title: (client: string) => `Allow ${client}?`,
    heading: (client: Html): Html => html`Allow ${client} to act for you?`,
    fromDevice: (installation: string): Html =>
      html`A program on <strong>another device</strong> asks to use services at ${installation} with your account.`,
    fromHere: (installation: string): Html =>
      html`A program on this computer asks to use services at ${installation} with your account.`,
    fromElsewhere: (place: string, installation: string): Html =>
      html`The application at <strong>${place}</strong> asks to use services at ${installation} with your account.`,
    deviceCode: "Device code",
    deviceCodeOther:
      "This names the device's key; the command line shows it as well. If you did not just start this yourself, deny.",
    deviceCodeHere:
      "Your terminal shows the same code. If it does not, or if you did not just start this yourself, deny.",
    noDeviceCode:
      "There is no code to compare: the program that asks did not name its key. If you did not just start this yourself, deny.",
    askedFrom: "Asked from",
    askedAt: "Asked at",
    unknownAddress: "an address that is not known",
    abilities: "It will be able to",
    clientScopes,
    deny: "Deny",
    allow: "Allow",
    answerToDevice: "The answer goes to the device whose code you typed.",
    answerTo: (place: Html): Html => html`The answer goes to ${place}`,
    over: {
      title: "This request is over",
      paragraphs: [
        "It was answered already, it is older than ten minutes, or it was started in another browser.",
        "Go back to your terminal and start again.",
      ],
    },
    fromElsewhereForm: {
      title: "Your answer did not count",
      paragraphs: [
        "It did not come from the page that asked you, or somebody else has signed in here since then.",
        "Look at the question again and answer it there. If you did not start anything, close this page.",
      ],
      askAgain: "Show the question again",
    },
    cannotStart: {
      title: "This sign-in cannot start",
      why: "The program that sent you here asked in a way that this server does not accept.",
      next: "Go back to the program that sent you here and try again with its newest version.",
    },
  },
  device: {
    title: "Connect a device",
    typeCode: "Type the code that your device shows.",
    compareCode:
      "Compare the code with the one that your device shows. Go on only if it is the same, and only if you started this yourself.",
    code: "Code",
    continue: "Continue",
    malformed: (example: Html): Html => html`A code has eight letters and no vowels, such as ${example}.`,
    unknown: "No device waits with this code. Compare it with your device: it may have a new one by now.",
    connectedTitle: "Device connected",
    connected: "Your device is connected",
    connectedLead: "Go back to it: in a few seconds it goes on by itself. You can close this page.",
    connectedHint: (accountPage: Html): Html =>
      html`You can sign the device out at any time on ${accountPage}.`,
    accountPage: "your account page",
    notConnectedTitle: "Device not connected",
    notConnected: "The device is not connected",
    notConnectedLead: "It got nothing and is told so. You can close this page.",
    notAllowed: (installation: string) =>
      `You may not use the command line: the permission authz:login is missing. Ask an administrator of ${installation} for it.`,
  },
  home: {
    title: "Your account",
    administration: "Administration",
    signOut: "Sign out",
    signOutOf: (name: string) => `Sign out ${name}`,
    permissions: "What you may do",
    noPermissions: "Nothing yet. Permissions are given by an administrator: ask for what you need.",
    undecided: (directories: string) =>
      `${directories} does not answer at the moment. What its groups give you is missing here.`,
    ofInstallation: (installation: string) => `At ${installation} itself`,
    systemScopes: {
      "authz:login": "Use the command line",
      "authz:administer": "Administer this installation",
    } as Readonly<Record<string, string>>,
    more: (count: number) => `And ${count} more.`,
    skills: "Your skills",
    skillsLead: "Instructions that an agent can read for you. Open one to read it yourself.",
    noSkills: "No service publishes instructions for you yet.",
    moreSkills: (count: number, command: Html): Html =>
      html`And ${count} more: type ${command} in your terminal.`,
    lacks: (scopes: Html): Html => html`you lack ${scopes}`,
    client: "The command line",
    clientLead: "Two commands in a terminal with Node.js 20.19 or newer, once for each device:",
    devices: "Devices that act for you",
    noDevices: (command: Html): Html => html`None yet. Type ${command} in your terminal to add this one.`,
    devicesHint: "A device that you sign out has to ask you again before it can do anything.",
    browsers: "Browsers where you are signed in",
    thisBrowser: (browser: string) => `${browser}, this one`,
    since: (date: string) => `since ${date}`,
    browser: "A browser",
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    signOutTitle: "Sign out",
    signOutHeading: (installation: string) => `Sign out of ${installation}?`,
    staySignedIn: "Stay signed in",
  },
  skill: {
    back: "Your account",
    from: (publisher: string) => `Published by ${publisher}`,
    asks: "Asks for",
    notAllowed: (scopes: Html): Html =>
      html`You cannot follow it yet: you lack ${scopes}. Ask an administrator.`,
    missing: {
      title: "There is no such skill",
      paragraphs: ["It does not exist any more, or it is not among those that you may see."],
    },
  },
  connections: connectionsEnglish,
  setUp: setUpEnglish,
  problem: {
    notFound: "There is no page here",
    notFoundText: "There is nothing at this address.",
    notDone: "This did not work",
    failed: "Something failed here",
    tooMany: (seconds: string) => `There were too many requests from here. Try again in ${seconds} seconds.`,
    tooLarge: "What was sent is too large.",
    unreadable: "The request cannot be read.",
    busy: "The server cannot take this request now. Try again in a moment.",
    directoryAway:
      "The directory that knows your groups does not answer, so your permissions cannot be checked. Nothing has changed. Try again in a few seconds; if it stays that way, tell an administrator.",
    error: (requestId: string) => `The server failed. Its log has the cause under request ${requestId}.`,
    startPage: "Go to the start page",
    request: (id: string) => `request ${id}`,
  },
};
