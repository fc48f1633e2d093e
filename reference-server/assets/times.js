// Moments in the time zone of whoever looks. Without this they stay as the server wrote them, in UTC.
const { lang } = document.documentElement;
const format = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, {
  dateStyle: "medium",
  timeStyle: "short",
});
for (const time of document.querySelectorAll("time[datetime]")) {
  time.title = time.textContent;
  time.textContent = format.format(new Date(time.dateTime));
}
